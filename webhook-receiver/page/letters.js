// The book of letters: found, counted, and settled where nobody knows whether they were sent.
import { nothing } from './lit-html.js';
import { get } from './api.js';
import { pathAt } from './lists.js';
import * as parts from './parts.js';
import { html } from './parts.js';

/** @typedef {import('./main.js').Frame} Frame */
/** @typedef {import('../src/core/letter-contract.ts').Letter} Letter */
/** @typedef {import('../src/core/letter-contract.ts').LetterOutcome} LetterOutcome */
/** @typedef {import('../src/core/claim-contract.ts').Claim} Claim */

/** Rows of a page. */
const ROWS = 25;
const FILTERS = ['recipient', 'reference', 'outcome', 'since', 'until'];

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

/** @param {Frame} frame */
export async function letters(frame) {
	const { query } = frame;
	/** Two lists, each of which goes on by itself. @param {string} name @param {any} next */
	const below = (name, next) =>
		parts.paging(
			(place) => pathAt('#/letters', { ...Object.fromEntries(query), [name]: place }),
			next,
			query.get(name),
		);
	const [found, others] = await Promise.all([
		lettersTable(frame, ROWS, (next) => below('before', next)),
		query.get('outcome') === 'unknown' ? otherKeys(frame, (next) => below('keys', next)) : nothing,
	]);
	return { title: 'Letters', content: html`${found} ${others}` };
}

/**
 * The letters that the address asks for, under the form that asks for others.
 *
 * @param {Frame} frame
 * @param {number} limit
 * @param {(next: number | null) => unknown} below
 */
export async function lettersTable({ query, act }, limit, below) {
	const [recipient, reference, outcome, since, until] = FILTERS.map((name) => query.get(name));
	const filter = {
		recipient,
		reference,
		since: since && `${since}T00:00:00Z`,
		until: until && endOf(until),
	};
	const [{ data, next }, counts] = await Promise.all([
		get('letters', { ...filter, outcome, limit, before: query.get('before') }),
		get('letters/summary', filter),
	]);
	const isFiltered = FILTERS.some((name) => query.has(name));
	const rows = data.map((/** @type {Letter} */ one) => row(one, act));
	const heads = [
		'Outcome',
		'Recipient',
		'Type',
		'References',
		'Workflow',
		'Sent (UTC)',
		'Message ID',
	];
	return parts.table('Letters, newest first', heads, rows, {
		above: html`${filters(query, counts, isFiltered)} ${data.some(isUnknown) ? ADVICE : nothing}`,
		below: below(next),
		none: isFiltered ? 'No such letter.' : 'No letter yet: what workflows send is listed here.',
	});
}

/** A day includes its last moment. @param {string} day */
function endOf(day) {
	const at = Date.parse(day) + 24 * 3_600_000;
	// What is no day the receiver refuses, in words.
	return Number.isNaN(at) ? day : new Date(at).toISOString();
}

/**
 * @param {URLSearchParams} query
 * @param {{ total: number, outcomes: Record<string, number> }} counts
 * @param {boolean} isFiltered
 */
function filters(query, { total, outcomes }, isFiltered) {
	// What is new never moves a choice: all outcomes are there, always.
	const choices = Object.entries(OUTCOMES).map(
		([name, words]) =>
			html`<option
				value=${name}
				label=${`${words} (${outcomes[name] ?? 0})`}
				?selected=${name === query.get('outcome')}
			></option>`,
	);
	/** @param {string} label @param {string} name @param {string} type */
	const field = (label, name, type) =>
		html`<label
			>${label}
			<input name=${name} type=${type} maxlength="500" value=${query.get(name) ?? ''} />
		</label>`;
	return html`<form class="filters" aria-label="Find letters" @submit=${find}>
		${field('Recipient', 'recipient', 'text')} ${field('Reference', 'reference', 'text')}
		<label
			>Outcome
			<select name="outcome">
				<option value="" label=${`any (${total})`}></option>
				${choices}
			</select>
		</label>
		${field('From (UTC)', 'since', 'date')} ${field('To (UTC)', 'until', 'date')}
		<div>
			<button>Find</button>
			${isFiltered ? html`<a href="#/letters">Show all</a>` : nothing}
		</div>
	</form>`;
}

/** @param {SubmitEvent} event */
function find(event) {
	event.preventDefault();
	const typed = new FormData(/** @type {HTMLFormElement} */ (event.target));
	const asked = FILTERS.map((name) => [name, String(typed.get(name)).trim() || null]);
	location.hash = pathAt('#/letters', Object.fromEntries(asked));
}

/** @param {Letter} letter */
const isUnknown = ({ outcome }) => outcome === 'unknown';

const ADVICE = html`<p>
	Of the unknown ones nobody knows whether they were sent, so nobody sends them again. Look at the
	delivery service: if a letter is there, say that it was sent, with its message ID; if not, say
	that it was not, and run the workflow again.
</p>`;

/** @param {Letter} letter @param {Frame['act']} act */
function row(letter, act) {
	const { outcome, recipient, type, workflow, messageId, claim, beganAt } = letter;
	const references = new Set([letter.fileReference, letter.customerReference]);
	const what = recipient === null ? 'this letter' : `the letter to ${recipient}`;
	return html`<tr>
		<td class=${isUnknown(letter) ? 'bad' : ''}>
			${OUTCOMES[/** @type {LetterOutcome} */ (outcome)] ?? outcome}
			${letter.reason && html`<br /><small>${letter.reason}</small>`}
		</td>
		<td class="wide">${recipient}</td>
		<td>${type}</td>
		<td class="wide">${[...references].filter((one) => one !== null).join(', ')}</td>
		<td class="wide">${workflow && parts.shortName(workflow)}</td>
		<td>${parts.time(beganAt)}</td>
		<td>
			${messageId && parts.subject(messageId)}
			${isUnknown(letter) && claim !== null
				? html`${itWasSent(act, claim, what)} ${itWasNot(act, claim, what)}`
				: nothing}
		</td>
	</tr>`;
}

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
	const rows = data.map(
		(/** @type {Claim} */ { key, name, usedFor, reason, updatedAt }) =>
			html`<tr>
				<td class="wide">${name ?? key}</td>
				<td>${usedFor?.type}</td>
				<td class="wide">${reason}</td>
				<td>${parts.time(updatedAt)}</td>
				<td>
					${usedFor === null ? nothing : itWasSent(act, key, `under ${name ?? key}`)}
					${itWasNot(act, key, `under ${name ?? key}`)}
				</td>
			</tr>`,
	);
	const heads = ['Key', 'Letter', 'Why', 'Since (UTC)', ''];
	return parts.table('Other keys of unknown outcome, newest first', heads, rows, {
		below: below(next),
	});
}
