import { createHash } from 'node:crypto';
import { html, type Html } from './html.ts';

/** A page's query parameters, without empty ones. */
export type Query = Partial<Record<string, string>>;

/** Reads an Express query; ignores repeated and empty parameters. */
export const readQuery = (given: object): Query =>
	Object.fromEntries(
		Object.entries(given).filter(
			(entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
		),
	);

const address = (path: string, query: Query): string => {
	const text = new URLSearchParams(query as Record<string, string>).toString();
	return text === '' ? path : `${path}?${text}`;
};

interface Page {
	path: string;
	query: Query;
	total: number;
	/** Its name in singular and plural. */
	names: [one: string, several: string];
	/** `before` of the next page, or null. */
	next: string | null;
}

/** The number of entries, and a link to older ones. */
export function pages({ path, query, total, names, next }: Page): Html {
	const { before, ...filter } = query;
	const link = (to: Query, name: string) =>
		html`<a class="button" href="${address(path, to)}">${name}</a>`;
	return html`<nav id="pages" class="buttons" aria-label="Pages">
		<span class="quiet">${total.toLocaleString('en')} ${names[total === 1 ? 0 : 1]}</span>
		${before === undefined ? null : link(filter, 'Newest')}
		${next === null ? null : link({ ...filter, before: next }, 'Older')}
	</nav>`;
}

/** Changes with the content; the script replaces a card only then, so that nothing open flickers. */
export const versionOf = ({ text }: Html): string =>
	createHash('sha1').update(text).digest('hex').slice(0, 12);

/** Why a list is empty. */
export const emptyList = (title: string, text: Html): Html =>
	html`<div class="empty" data-key="empty" data-version="${versionOf(text)}">
		<img src="/icon.svg" alt="" width="56" height="56" />
		<h2>${title}</h2>
		<p>${text}</p>
	</div>`;

export interface Field {
	name: string;
	label: string;
	/** A text field without them. */
	options?: string[];
}

/** Fields to filter by; they stand in the page's address. */
export const filterForm = (path: string, fields: Field[], query: Query): Html =>
	html`<form class="filters" role="search" action="${path}">
		${fields.map(({ name, label, options }) => {
			const value = query[name] ?? '';
			const input = options
				? html`<select name="${name}">
						<option value="">Any</option>
						${options.map((one) =>
							one === value
								? html`<option selected>${one}</option>`
								: html`<option>${one}</option>`,
						)}
					</select>`
				: html`<input name="${name}" value="${value}" type="search" autocomplete="off" />`;
			return html`<label>${label} ${input}</label>`;
		})}
		<div class="buttons">
			<button class="small">Filter</button>
			${fields.some(({ name }) => query[name] !== undefined)
				? html`<a href="${path}">Show all</a>`
				: null}
		</div>
	</form>`;
