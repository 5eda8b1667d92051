// What the views have in common.
import { html as litHtml, nothing } from './lit-html.js';
import { now, pathAt } from './api.js';

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
 * What a column has over it, what it shows of each row, and its class.
 *
 * @template Row
 * @typedef {[head: string, cell: (row: Row) => unknown, look?: string | ((row: Row) => string)]} Column
 */

/**
 * @template Row
 * @param {string} title
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 * @param {{ above?: unknown, below?: unknown, none?: string }} [around]
 */
export function table(title, columns, rows, { above, below, none = 'None.' } = {}) {
	const heads = columns.map(([head]) =>
		head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`,
	);
	/** @param {Row} row */
	const cellsOf = (row) =>
		columns.map(([, cell, look = '']) => {
			return html`<td class=${typeof look === 'string' ? look : look(row)}>${cell(row)}</td>`;
		});
	// What is wide scrolls by itself, also by keyboard.
	const content = html`<figure tabindex="0" role="region" aria-label=${title}>
		<table>
			<thead>
				<tr>
					${heads}
				</tr>
			</thead>
			<tbody>
				${rows.map(
					(row) =>
						html`<tr>
							${cellsOf(row)}
						</tr>`,
				)}
			</tbody>
		</table>
	</figure>`;
	return section(title, html`${above} ${rows.length === 0 ? quiet(none) : content} ${below}`);
}

/** @param {Array<[name: string, value: unknown]>} all without those that say nothing */
export const facts = (all) =>
	html`<dl>
		${all.map(([name, value]) =>
			value === null || value === '' || value === nothing
				? nothing
				: html`<dt>${name}</dt>
						<dd>${value}</dd>`,
		)}
	</dl>`;

/** One of several views of a list. @param {string} path @param {unknown} words @param {boolean} isChosen */
export const choice = (path, words, isChosen) =>
	html`<a href=${path} aria-current=${isChosen ? 'true' : 'false'}>${words}</a>`;

/** @param {string} label @param {(event: MouseEvent) => void} press */
export const button = (label, press) =>
	html`<button type="button" @click=${press}>${label}</button>`;

/**
 * Links to the next page of a list and to its first. Lists beside each other go on each by itself.
 *
 * @param {string} path
 * @param {URLSearchParams} query
 * @param {string} name of the query's member that says where this page begins
 * @param {string | number | null} next where the next one does
 * @param {boolean} [isOldestFirst]
 */
export function paging(path, query, name, next, isOldestFirst = false) {
	const [onward, back] = isOldestFirst ? ['Next', 'Oldest'] : ['Older', 'Newest'];
	/** @param {string | number | null} place */
	const at = (place) => pathAt(path, { ...Object.fromEntries(query), [name]: place });
	if (next === null && !query.has(name)) return nothing;
	return html`<nav aria-label="Paging">
		${query.has(name) ? html`<a href=${at(null)}>${back}</a>` : nothing}
		${next === null ? nothing : html`<a href=${at(next)}>${onward}</a>`}
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

/** What an event is about: messages have a view, consents and customers have none. @param {string | undefined} id */
export const subject = (id = '') =>
	/^\d{12}$/.test(id) ? html`<a href=${`#/letters/${id}`}>${id}</a>` : html`${id}`;
