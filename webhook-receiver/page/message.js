// One letter: its claim, its events, how the receiver learned of them, their batches, its watch, and who waits.
import { nothing } from './lit-html.js';
import { get } from './api.js';
import { outcomeOf, referencesOf, workflowOf } from './letters.js';
import { batchesTable, namesOfConsumers } from './lists.js';
import * as parts from './parts.js';
import { html } from './parts.js';

/** @typedef {import('./main.js').Frame} Frame */
/** @typedef {import('../src/core/event-contract.ts').DeliveryEvent} DeliveryEvent */
/** @typedef {import('../src/core/event-contract.ts').WatchView} WatchView */
/** @typedef {import('../src/core/wait-contract.ts').WaitView} WaitView */
/** @typedef {import('../src/core/letter-contract.ts').Letter} Letter */
/** @typedef {{ eventId: string, hasWebhook: boolean }} Change */

/** Rows of each list. */
const ROWS = 50;

/** @param {Frame} frame */
export async function message(frame) {
	const [messageId = ''] = frame.path;
	const { query } = frame;
	const of = { message: messageId, limit: ROWS };
	// First: it says best what is wrong with an id.
	const known = await get(`letters/${encodeURIComponent(messageId)}`);
	const [events, batches, waits, names] = await Promise.all([
		get('events', { ...of, after: query.get('events') }),
		get('batches', { ...of, before: query.get('batches') }),
		get('waits', { ...of, before: query.get('waits') }),
		namesOfConsumers(),
	]);
	/** @param {string} name @param {any} next @param {boolean} [isOldestFirst] */
	const below = (name, next, isOldestFirst) =>
		parts.paging(`#/letters/${messageId}`, query, name, next, isOldestFirst);
	const none = 'No workflow has got an event of this message, or the record has been cleaned up.';
	return {
		title: `Message ${messageId}`,
		content: html`${erasure(known.erasedUntil)} ${known.letter ? about(known.letter) : nothing}
		${timeline(
			[
				...(known.letter && !query.has('events') ? claimed(known.letter) : []),
				...events.data.map((/** @type {DeliveryEvent} */ one) => happening(one, known.changes)),
			],
			below('events', events.next, true),
		)}
		${batchesTable('Batches', batches.data, names, frame, {
			none,
			below: below('batches', batches.next),
		})}
		${watch(messageId, known.watch, frame)}
		${waiting(waits.data, frame, below('waits', waits.next))}`,
	};
}

/** Otherwise it would look as if the letter never existed. @param {string | null} until */
const erasure = (until) =>
	until === null
		? nothing
		: parts.section(
				'Erased',
				html`<p>
					This letter was erased on request. What comes of it until ${parts.time(until)} UTC is not
					stored.
				</p>`,
			);

/** @param {Letter} letter */
const about = (letter) =>
	parts.section(
		'Letter',
		parts.facts([
			['Outcome', outcomeOf(letter.outcome)],
			['To', letter.recipient],
			['For customer', letter.sender],
			['Type', letter.type],
			['References', referencesOf(letter)],
			['Workflow', workflowOf(letter.workflow)],
		]),
	);

/** @typedef {Pick<DeliveryEvent, 'status' | 'occurredAt' | 'receivedAt'> & { type: string, by: unknown }} Happening */

/** How the story begins, unless others sent the letter: before it left. @param {Letter} letter @returns {Happening[]} */
function claimed({ workflow, executionId, beganAt }) {
	if (workflow === null) return [];
	const by = html`${parts.shortName(workflow)}, execution ${executionId}, before it left`;
	return [{ type: 'claimed', status: null, occurredAt: beganAt, receivedAt: beganAt, by }];
}

/** @param {DeliveryEvent} event @param {Change[]} changes @returns {Happening} */
const happening = (event, changes) => ({ ...event, by: source(event, changes) });

/** @param {Happening[]} all @param {unknown} paging */
function timeline(all, paging) {
	/** @type {parts.Column<Happening>[]} */
	const columns = [
		['Event', ({ type }) => type],
		['Status', ({ status }) => status],
		['Happened (UTC)', ({ occurredAt }) => parts.time(occurredAt)],
		['Known here (UTC)', ({ receivedAt }) => parts.time(receivedAt)],
		['Came by', ({ by }) => by, 'wide'],
	];
	const none = 'No event of this message is on record: none has come, or RETENTION is over.';
	const cut = parts.quiet('More events of this message are on other pages.');
	const below = paging === nothing ? nothing : html`${cut} ${paging}`;
	return parts.table('Timeline', columns, all, { none, below });
}

/** A change that watching saw first may have had its webhook since. @param {DeliveryEvent} event @param {Change[]} changes */
function source({ id, sourceType }, changes) {
	if (sourceType !== 'status') return `webhook ${sourceType ?? ''}`;
	const change = changes.find(({ eventId }) => eventId === id);
	return change?.hasWebhook
		? html`watching; <span class="quiet">its webhook came later, and made no second event</span>`
		: 'watching';
}

/** @type {Record<NonNullable<WatchView['endReason']>, string>} */
const ENDS = {
	final: 'with the final status',
	limit: 'since nothing happened for as long as WATCH_LIMIT says',
	'message-not-found': 'since the service knows no such message of this account',
	removed: 'as asked',
};

/** @param {string} messageId @param {WatchView | null} shown @param {Frame} frame */
function watch(messageId, shown, frame) {
	if (shown === null) {
		return parts.section('Watching', parts.quiet('This message is not watched.'));
	}
	const { polledAt, nextPollAt, endedAt, endReason } = shown;
	const details = parts.facts([
		['Type', shown.messageType ?? 'taken from the service’s answers'],
		['Status', shown.status ?? 'not known yet'],
		['Watched since (UTC)', parts.time(shown.createdAt)],
		['Last poll (UTC)', polledAt === null ? 'none yet' : parts.time(polledAt)],
		['Next poll (UTC)', parts.time(nextPollAt)],
		[
			'Ended (UTC)',
			endedAt === null ? null : `${parts.time(endedAt)}, ${ENDS[endReason ?? 'removed']}`,
		],
		[
			'Last problem',
			shown.problem === null ? null : html`<span class="bad">${shown.problem}</span>`,
		],
	]);
	const ended = () => 'This message is no longer watched.';
	const end = parts.button('Watch no more', frame.act('DELETE', `watches/${messageId}`, ended));
	return parts.section('Watching', html`${details} ${nextPollAt === null ? nothing : end}`);
}

/** @type {Record<string, string>} */
const STATES = {
	open: 'waits for outcomes',
	queued: 'is to be woken',
	'in-hand': 'is being woken',
	done: 'was woken, or no longer waited',
	dead: 'lost: nobody woke it',
};

/** Executions of n8n that sleep until this message has an outcome. @param {WaitView[]} waits @param {Frame} frame @param {unknown} below */
function waiting(waits, frame, below) {
	/** @param {WaitView} wait */
	const againOf = ({ batch, state }) => {
		if (batch === null || (state !== 'done' && state !== 'dead')) return nothing;
		const path = `batches/${encodeURIComponent(batch)}/retry`;
		return parts.button(
			'Wake again',
			frame.act('POST', path, () => 'The execution is woken again.'),
		);
	};
	/** @type {parts.Column<WaitView>[]} */
	const columns = [
		['Asleep since (UTC)', ({ createdAt }) => parts.time(createdAt)],
		['State', ({ state }) => STATES[state], ({ state }) => (state === 'dead' ? 'bad' : '')],
		['Deadline (UTC)', ({ deadline }) => parts.time(deadline)],
		['Tries', ({ attempts }) => attempts],
		['Result', ({ lastResult }) => lastResult, 'wide'],
		['Where', ({ target }) => target, 'wide'],
		['', againOf],
	];
	const none = 'No execution waits, or has waited, for this message.';
	return parts.table('Waiting executions', columns, waits, { none, below });
}
