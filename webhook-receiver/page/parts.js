// What the views have in common.
import { html as litHtml, nothing } from './lit-html.js';
import { now } from './api.js';

/**
 * Control characters, and those that change the direction of text: they could make one text look
 * like another.
 */
const UNSEEN =
	// eslint-disable-next-line no-control-regex
	/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** @typedef {import('./lit-html.js').TemplateResult} Template */

/**
 * The library's tag: values become text or attributes, never markup. Here they are also readable,
 * since events hold text from anyone, and the direction of one leaves the text around it alone.
 *
 * @param {TemplateStringsArray} strings
 * @param {unknown[]} values
 */
export function html(strings, ...values) {
	let before = '';
	return litHtml(
		strings,
		...values.map((value, index) => {
			before += strings[index];
			if (typeof value !== 'string' || value === '') return value;
			const isInTag = before.lastIndexOf('<') > before.lastIndexOf('>');
			return isInTag ? seen(value) : litHtml`<bdi>${seen(value)}</bdi>`;
		}),
	);
}

/** @param {string} text */
export function seen(text) {
	return text.replace(
		UNSEEN,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}

/** @param {string | null} iso */
export const time = (iso) => (iso ?? '').replace('T', ' ').slice(0, 19);

/** @param {number} milliseconds */
export function duration(milliseconds) {
	const seconds = Math.max(Math.round(milliseconds / 1000), 0);
	if (seconds < 120) return `${seconds} s`;
	if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
	if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
	return `${Math.round(seconds / 86_400)} days`;
}

/** @param {string} iso */
export const since = (iso) => duration(now() - Date.parse(iso));

/** @param {number} count @param {string} one @param {string} many */
export const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @param {string} title @param {unknown} content */
export const section = (title, content) =>
	html`<section>
		<h2>${title}</h2>
		${content}
	</section>`;

/** @param {string} text */
export const quiet = (text) => html`<p class="quiet">${text}</p>`;

/**
 * Wide content scrolls by itself, also by keyboard.
 *
 * @param {string} title
 * @param {unknown} content
 */
export const scrollable = (title, content) =>
	html`<div class="scroll" tabindex="0" role="region" aria-label=${title}>${content}</div>`;

/**
 * @param {string} title
 * @param {string[]} heads
 * @param {unknown[]} rows
 * @param {{ above?: unknown, below?: unknown, none?: string }} [around]
 */
export function table(
	title,
	heads,
	rows,
	{ above = nothing, below = nothing, none = 'None.' } = {},
) {
	const content = html`<table>
		<thead>
			<tr>
				${heads.map((head) => (head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`))}
			</tr>
		</thead>
		<tbody>
			${rows}
		</tbody>
	</table>`;
	const shown = rows.length === 0 ? quiet(none) : scrollable(title, content);
	return section(title, html`${above} ${shown} ${below}`);
}

/** @param {Array<[name: string, value: unknown]>} all without those that are null */
export const facts = (all) =>
	html`<dl>
		${all
			.filter(([, value]) => value !== null && value !== '')
			.map(
				([name, value]) =>
					html`<div>
						<dt>${name}</dt>
						<dd>${value}</dd>
					</div>`,
			)}
	</dl>`;

/** @param {Array<[name: string, value: string | number, isBad?: boolean]>} all */
export const figures = (all) =>
	html`<div class="figures">
		${all.map(
			([name, value, isBad]) =>
				html`<div><span>${name}</span><b class=${isBad ? 'bad' : ''}>${value}</b></div>`,
		)}
	</div>`;

/** @param {string} label @param {(event: MouseEvent) => void} press */
export const button = (label, press) =>
	html`<button type="button" @click=${press}>${label}</button>`;

/**
 * Links to the next page of a list and to its first.
 *
 * @param {(place: string | number | null) => string} pathAt
 * @param {string | number | null} next
 * @param {string | null} place where this page begins; null for the first
 * @param {[onward: string, back: string]} [names]
 */
export function paging(pathAt, next, place, [onward, back] = ['Older', 'Newest']) {
	if (next === null && place === null) return nothing;
	return html`<nav aria-label="Paging">
		${place === null ? nothing : html`<a href=${pathAt(null)}>${back}</a>`}
		${next === null ? nothing : html`<a href=${pathAt(next)}>${onward}</a>`}
	</nav>`;
}

/** @typedef {Pick<import('../src/core/pull-contract.ts').ConsumerView, 'name'>} Named */

/** For lists: n8n's names may be as long as a paragraph. @param {Named} workflow */
export function shortName({ name }) {
	if (name.trim() === '') return 'A workflow without a name';
	return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

/** @param {string} key */
export const workflowPath = (key) => `#/workflows/${encodeURIComponent(key)}`;

/** Only http and https links, whatever the receiver holds. @param {string | null | undefined} url */
export const inN8n = (url) =>
	url != null && /^https?:\/\//i.test(url)
		? html`<a href=${url} rel="noreferrer">Open in n8n</a>`
		: nothing;

/** What an event is about: messages have a view, consents and customers have none. @param {string} id */
export const subject = (id) =>
	/^\d{12}$/.test(id) ? html`<a href=${`#/letters/${id}`}>${id}</a>` : html`${id}`;
