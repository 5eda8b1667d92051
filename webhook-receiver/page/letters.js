// The book of letters: counted, found, and settled where nobody knows whether they were sent.
import { nothing } from './lit-html.js';
import { get, pathAt } from './api.js';
import * as parts from './parts.js';
import { html } from './parts.js';

/** @typedef {import('./main.js').Frame} Frame */
/** @typedef {import('../src/core/letter-contract.ts').Letter} Letter */
/** @typedef {import('../src/core/letter-contract.ts').LetterOutcome} LetterOutcome */
/** @typedef {import('../src/core/claim-contract.ts').Claim} Claim */

/** Rows of a page. */
const ROWS = 25;

/** What letters are found by, as the API names it. Beside these: the outcome. */
const FIELDS = [
	['recipient', 'Recipient', 'text'],
	['reference', 'Reference', 'text'],
	['status', 'Status', 'text'],
	['workflow', 'Workflow ID', 'text'],
	['since', 'From (UTC)', 'date'],
	['until', 'To (UTC)', 'date'],
];

/** As people say it. @type {Record<LetterOutcome, string>} */
const OUTCOMES = {
	unknown: 'unknown',
	leaving: 'being sent',
	open: 'under way',
	accepted: 'accepted',
	refused: 'refused',
	opened: 'opened',
	received: 'received',
	expired: 'expired',
	undelivered: 'undelivered',
	failed: 'failed',
};

/** Where somebody may have to do something. */
const BAD = ['unknown', 'refused', 'expired', 'undelivered', 'failed'];

/** @param {string} name of an outcome, also one that only a newer receiver knows */
export const outcomeOf = (name) =>
	html`<span class=${BAD.includes(name) ? 'bad' : ''}
		>${OUTCOMES[/** @type {LetterOutcome} */ (name)] ?? name}</span
	>`;

/** @param {Frame} frame */
export async function letters(frame) {
	const { query } = frame;
	/** @param {string} name @param {number | null} next */
	const below = (name, next) => parts.paging('#/letters', query, name, next);
	const [found, others] = await Promise.all([
		lettersTable(frame, ROWS, (next) => below('before', next)),
		query.get('outcome') === 'unknown' ? otherKeys(frame, (next) => below('keys', next)) : nothing,
	]);
	return { title: 'Letters', content: html`${found} ${others}` };
}

/**
 * The letters that the address asks for, under what asks for others.
 *
 * @param {Frame} frame
 * @param {number} limit
 * @param {(next: number | null) => unknown} below
 */
export async function lettersTable({ query, act }, limit, below) {
	/** @type {Record<string, string | null>} */
	const typed = Object.fromEntries(FIELDS.map(([name]) => [name, query.get(name)]));
	const { since, until } = typed;
	const filter = {
		...typed,
		since: since && `${since}T00:00:00Z`,
		until: until && endOf(until),
	};
	const outcome = query.get('outcome');
	const [{ data, next }, { total, outcomes }] = await Promise.all([
		get('letters', { ...filter, outcome, limit, before: query.get('before') }),
		get('letters/summary', filter),
	]);
	/** @param {string | null} name @param {unknown} words @param {number} count */
	const counted = (name, words, count) =>
		parts.choice(
			pathAt('#/letters', { ...typed, outcome: name }),
			html`${words} ${count}`,
			name === outcome,
		);
	const counts = Object.keys(OUTCOMES)
		.filter((name) => name in outcomes || name === outcome)
		.map((name) => counted(name, outcomeOf(name), outcomes[name] ?? 0));
	const isFiltered = outcome !== null || FIELDS.some(([name]) => query.has(name));
	const above = html`<nav aria-label="Outcomes">${counted(null, 'all', total)} ${counts}</nav>
		${searchForm(query, isFiltered)} ${data.some(isUnknown) ? ADVICE : nothing}`;
	return parts.table('Letters, newest first', columns(act), data, {
		above,
		below: below(next),
		none: isFiltered ? 'No such letter.' : 'No letter yet: what workflows send is listed here.',
	});
}

/** @param {Frame['act']} act @returns {parts.Column<Letter>[]} */
const columns = (act) => [
	['Outcome', statusOf, ({ reason }) => (reason === null ? '' : 'wide')],
	['Recipient', ({ recipient }) => recipient, 'wide'],
	['Type', ({ type }) => type],
	['References', referencesOf, 'wide'],
	['Workflow', ({ workflow }) => workflowOf(workflow), 'wide'],
	['Sent (UTC)', ({ beganAt }) => parts.time(beganAt)],
	[
		'Message ID',
		(letter) =>
			html`${letter.messageId && parts.subject(letter.messageId)} ${settling(letter, act)}`,
	],
];

/** The outcome, and the reason or status unless that says the same. @param {Letter} letter */
function statusOf({ outcome, status, reason }) {
	const more = reason ?? (status?.toLowerCase() === outcome ? null : status);
	return html`${outcomeOf(outcome)}${more === null ? nothing : html`<br /><small>${more}</small>`}`;
}

/** @param {Letter} letter @param {Frame['act']} act */
function settling(letter, act) {
	const { recipient, claim } = letter;
	if (!isUnknown(letter) || claim === null) return nothing;
	const what = recipient === null ? 'this letter' : `the letter to ${recipient}`;
	return html`${itWasSent(act, claim, what)} ${itWasNot(act, claim, what)}`;
}

/** A day includes its last moment. @param {string} day */
function endOf(day) {
	const at = Date.parse(day) + 24 * 3_600_000;
	// What is no day the receiver refuses, in words.
	return Number.isNaN(at) ? day : new Date(at).toISOString();
}

/** @param {URLSearchParams} query @param {boolean} isFiltered */
function searchForm(query, isFiltered) {
	/** @param {SubmitEvent} event */
	const find = (event) => {
		event.preventDefault();
		const typed = new FormData(/** @type {HTMLFormElement} */ (event.target));
		const asked = FIELDS.map(([name]) => [name, String(typed.get(name)).trim()]);
		const outcome = query.get('outcome');
		location.hash = pathAt('#/letters', { ...Object.fromEntries(asked), outcome });
	};
	return html`<form aria-label="Find letters" @submit=${find}>
		<div class="fields">
			${FIELDS.map(
				([name, label, type]) =>
					html`<label
						>${label}
						<input name=${name} type=${type} maxlength="500" value=${query.get(name) ?? ''} />
					</label>`,
			)}
		</div>
		<button>Find</button>
		${isFiltered ? html`<a href="#/letters">Show all</a>` : nothing}
	</form>`;
}

/** @param {Letter} letter */
const isUnknown = ({ outcome }) => outcome === 'unknown';

const ADVICE = html`<p class="notice">
	Of the unknown ones nobody knows whether they were sent, so nobody sends them again. Look at the
	delivery service: if a letter is there, say that it was sent, with its message ID; if not, say
	that it was not, and run the workflow again.
</p>`;

/** @param {Letter} letter */
export const referencesOf = ({ fileReference, customerReference }) =>
	[...new Set([fileReference, customerReference])].filter((one) => one !== null).join(', ');

/** Leads to all letters of that workflow. @param {Letter['workflow']} workflow */
export const workflowOf = (workflow) =>
	workflow === null
		? nothing
		: html`<a href=${pathAt('#/letters', { workflow: workflow.id })}
				>${parts.shortName(workflow)}</a
			>`;

/** @param {Frame['act']} act @param {string} key @param {string} what is sent, or under what */
const itWasSent = (act, key, what) =>
	parts.button(
		'It was sent',
		act(
			'POST',
			`claims/${encodeURIComponent(key)}/sent`,
			() => 'It is kept as sent: later executions get these message IDs.',
			{
				question: {
					title: 'Was it sent?',
					text: html`Nobody sends ${what} again: later executions get these message IDs as the
					result. If its request had several recipients, give the IDs of all in the order of the
					request, whose last one is on top here.`,
					yes: 'It was sent',
					field: {
						label: 'Message IDs',
						pattern: String.raw`\s*\d{12}([\s,]+\d{12})*\s*`,
						hint: 'Twelve digits each',
					},
				},
				body: (filledIn) => ({ messageIds: filledIn.match(/\d{12}/g) }),
			},
		),
	);

/** @param {Frame['act']} act @param {string} key @param {string} what is sent, or under what */
const itWasNot = (act, key, what) =>
	parts.button(
		'It was not',
		act('DELETE', `claims/${encodeURIComponent(key)}`, () => 'It may be sent again.', {
			question: {
				title: 'Was it not sent?',
				text: html`The next execution may send ${what} again, with all others of its request. If it
				was sent already, it goes out twice.`,
				yes: 'It was not',
			},
		}),
	);

/**
 * Keys of unknown outcome that have no letter in the book: of consents and customers, say.
 *
 * @param {Frame} frame
 * @param {(next: number | null) => unknown} below
 */
async function otherKeys({ query, act }, below) {
	const asked = { state: 'unknown', letters: 'none', limit: ROWS, before: query.get('keys') };
	const { data, next } = await get('claims', asked);
	if (data.length === 0) return nothing;
	/** @param {Claim} claim */
	const nameOf = ({ key, name }) => name ?? key;
	/** @param {Claim} claim */
	const settlingOf = (claim) => {
		const what = `under ${nameOf(claim)}`;
		const wasSent = claim.usedFor === null ? nothing : itWasSent(act, claim.key, what);
		return html`${wasSent} ${itWasNot(act, claim.key, what)}`;
	};
	/** @type {parts.Column<Claim>[]} */
	const heads = [
		['Key', nameOf, 'wide'],
		['Letter', ({ usedFor }) => usedFor?.type],
		['Why', ({ reason }) => reason, 'wide'],
		['Since (UTC)', ({ updatedAt }) => parts.time(updatedAt)],
		['', settlingOf],
	];
	const title = 'Other keys of unknown outcome, newest first';
	return parts.table(title, heads, data, { below: below(next) });
}
