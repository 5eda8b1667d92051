// Events, batches and attention, page by page.
import { nothing } from './lit-html.js';
import { allConsumers, get, now, pathAt } from './api.js';
import * as parts from './parts.js';
import { html } from './parts.js';

/** @typedef {import('./main.js').Frame} Frame */
/** @typedef {import('../src/core/event-contract.ts').DeliveryEvent} DeliveryEvent */
/** @typedef {import('../src/core/pull-contract.ts').ConsumerView} ConsumerView */
/** @typedef {import('../src/capabilities/history/batches.ts').BatchView} BatchView */
/** @typedef {import('../src/capabilities/attention/route.ts').AttentionView} AttentionView */

/** Rows of a page. */
const ROWS = 25;
const STATES = [null, 'queued', 'in-hand', 'done', 'dead'];

/** @param {Frame} frame */
export async function events(frame) {
	const { query } = frame;
	const { data, next } = await get('events', { limit: ROWS, before: query.get('before') });
	const below = parts.paging('#/events', query, 'before', next);
	return { title: 'Events', content: eventsTable('Events, newest first', data, frame, below) };
}

/** @param {string} title @param {DeliveryEvent[]} all @param {Frame} frame @param {unknown} below */
export function eventsTable(title, all, frame, below) {
	/** @type {parts.Column<DeliveryEvent>[]} */
	const columns = [
		['No.', ({ sequence }) => sequence],
		['Type', ({ type }) => type],
		['About', (one) => parts.subject(one.messageId ?? one.consentId ?? one.customerId), 'wide'],
		['As named by the service', (one) => one.attention?.text ?? sourceOf(one), 'wide'],
		['Received (UTC)', ({ receivedAt }) => parts.time(receivedAt)],
		[
			'',
			({ id }) => {
				const path = `events/${encodeURIComponent(id)}/replay`;
				return parts.button('Replay', frame.act('POST', path, replayed));
			},
		],
	];
	return parts.table(title, columns, all, { below });
}

/** @param {DeliveryEvent} event */
const sourceOf = ({ sourceType }) => (sourceType === 'status' ? 'seen by watching' : sourceType);

/** @param {{ consumers: string[] }} answer */
function replayed({ consumers }) {
	if (consumers.length === 0) return 'No workflow wants that event.';
	return `The event goes out again to ${parts.counted(consumers.length, 'workflow', 'workflows')}.`;
}

/** Batches in one state or in any: the dead ones oldest first, the others newest first. @param {Frame} frame */
export async function batches(frame) {
	const { query } = frame;
	const state = query.get('state');
	const isDead = state === 'dead';
	const direction = isDead ? 'after' : 'before';
	const place = query.get(direction) ?? (isDead ? 0 : null);
	const [names, { data, next }] = await Promise.all([
		namesOfConsumers(),
		get('batches', { state, limit: ROWS, [direction]: place }),
	]);
	const links = STATES.map((one) =>
		parts.choice(pathAt('#/batches', { state: one }), one ?? 'all', one === state),
	);
	const above = html`<nav aria-label="States">${links}</nav>
		${isDead && data.length > 0
			? parts.button('Hand out all dead ones again', retryDead(frame, null))
			: nothing}`;
	const below = parts.paging('#/batches', query, direction, next, isDead);
	const title = isDead ? 'Dead batches, oldest first' : 'Batches, newest first';
	const content = batchesTable(title, data, names, frame, { above, below });
	return { title: 'Batches', content };
}

/** Workflows by the key of their consumer, for their names. */
export async function namesOfConsumers() {
	return new Map((await allConsumers()).map((one) => [one.key, one]));
}

/**
 * @param {string} title
 * @param {BatchView[]} all
 * @param {Map<string, ConsumerView>} names
 * @param {Frame} frame
 * @param {Parameters<typeof parts.table>[3]} around
 */
export function batchesTable(title, all, names, frame, around) {
	/** @param {BatchView} batch */
	const workflowOf = ({ consumer, wait }) => {
		const workflow = names.get(consumer);
		if (workflow === undefined)
			return wait === null ? 'a forgotten workflow' : 'a sleeping execution';
		return html`<a href=${parts.workflowPath(consumer)}>${parts.shortName(workflow)}</a>`;
	};
	/** @param {BatchView} batch */
	const againOf = ({ id, state, consumer, wait }) => {
		const isSettled = state === 'done' || state === 'dead';
		if (!isSettled || (wait === null && !names.has(consumer))) return nothing;
		const path = `batches/${encodeURIComponent(id)}/retry`;
		return parts.button('Hand out again', frame.act('POST', path, retried));
	};
	/** @type {parts.Column<BatchView>[]} */
	const columns = [
		['No.', ({ number }) => number],
		['Workflow', workflowOf, 'wide'],
		['Letters', subjectsOf],
		['State', ({ state }) => state, ({ state }) => (state === 'dead' ? 'bad' : '')],
		['Tries', ({ attempts }) => attempts],
		['Why', whyOf, 'wide'],
		['Changed (UTC)', ({ updatedAt }) => parts.time(updatedAt)],
		['', againOf],
	];
	return parts.table(title, columns, all, around);
}

/** @param {BatchView} again */
const retried = ({ number }) => `The batch goes out again, as number ${number}.`;

/** @param {Frame} frame @param {string | null} consumer null: of all */
export const retryDead = ({ act }, consumer) =>
	act(
		'POST',
		'batches/retry',
		async ({ retried: count }) => {
			const { data } = await get('batches', { state: 'dead', consumer, limit: 1 });
			const again = count === 1 ? 'One batch goes' : `${count} batches go`;
			return `${again} out again.${data.length > 0 ? ' Others stay dead: their events are gone.' : ''}`;
		},
		{
			query: { state: 'dead', consumer },
			question: {
				title: `Hand out ${consumer === null ? 'all' : 'its'} dead batches again?`,
				text: 'Each starts an execution in n8n, and does once more what the workflow does with its events.',
				yes: 'Hand out',
			},
		},
	);

/** What a batch is about; its events, if it is about nothing. @param {BatchView} batch */
function subjectsOf({ subjects, events: sequences }) {
	if (subjects.length === 0) return html`event ${sequences.slice(0, 3).join(', ')}`;
	const more = subjects.length > 3 ? `and ${subjects.length - 3} more` : '';
	return html`${subjects.slice(0, 3).map((id) => html`${parts.subject(id)} `)}${more}`;
}

/** Why the batch is in its state. @param {BatchView} batch */
function whyOf({ state, dueAt, reason, attempts }) {
	if (state === 'in-hand')
		return `n8n has it; if n8n falls silent, it goes out again at ${parts.time(dueAt)}`;
	if (state === 'dead') return reason ?? 'n8n gave no reason';
	if (state === 'done') return reason ?? '';
	const because = reason === null ? '' : `: ${reason}`;
	if (dueAt !== null && Date.parse(dueAt) > now()) return `again at ${parts.time(dueAt)}${because}`;
	if (attempts > 0) return `goes out again${because}`;
	return `waits for an earlier one of the same letter, or for n8n${because}`;
}

/** @param {Frame} frame */
export async function attention({ query, attention: open }) {
	const over = await get('attention', {
		state: 'over',
		limit: ROWS,
		before: query.get('before'),
	});
	const below = parts.paging('#/attention', query, 'before', over.next);
	return {
		title: 'Attention',
		content: html`${parts.section('Now', alerts((await open).data, 'All is well.'))}
		${parts.section('Over, and lost', html`${alerts(over.data, 'Nothing.')} ${below}`)}`,
	};
}

/** Where those are that belong to no workflow. @type {Record<string, string>} */
const PLACES = {
	'wake-ups-dead': '#/batches?state=dead',
	'claims-unknown': '#/letters?outcome=unknown',
	'letters-limited': '#/letters',
};

/** What happened and what to do, in the receiver's own words. @param {AttentionView[]} all @param {string} none */
export function alerts(all, none) {
	if (all.length === 0) return parts.quiet(none);
	return all.map(({ kind, text, advice, workflow, since, consumer, endedAt }) => {
		const isOpen = endedAt === null;
		const isUrgent = isOpen || kind === 'events-lost';
		const place = consumer === null ? PLACES[kind] : parts.workflowPath(consumer);
		return html`<article class=${isUrgent ? 'alert' : ''}>
			<p class=${isUrgent ? 'bad' : ''}>${text}</p>
			${isUrgent ? html`<p>${advice}</p>` : nothing}
			<p class="quiet">
				Since ${parts.time(since)} UTC${isUrgent ? '' : `, over since ${parts.time(endedAt)}`}
				${isOpen && place !== undefined ? html`<a href=${place}>See them</a>` : nothing}
				${parts.inN8n(workflow?.url)}
			</p>
		</article>`;
	});
}
