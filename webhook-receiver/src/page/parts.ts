import { html } from './html.ts';
import type { Html } from './html.ts';

// What the pages have in common.

/** What every page has once the operator has logged in. */
export interface Frame {
	/** CSRF token that every form must send. */
	formToken: string;
	/** Path of the page itself, for forms to come back to. */
	here: string;
	/** The result of the last action, or null. */
	flash: string | null;
	now: number;
}

const NAME = 'Registered Delivery receiver';

export function page(title: string | null, body: Html): Html {
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>${title === null ? NAME : `${title} · ${NAME}`}</title>
				<link rel="stylesheet" href="/page/style.css" />
			</head>
			<body>
				${body}
			</body>
		</html>`;
}

const PLACES = [
	['/', 'Overview'],
	['/page/events', 'Events'],
	['/page/deliveries', 'Deliveries'],
	['/page/deliveries?state=dead', 'Dead'],
	['/page/attention', 'Attention'],
] as const;

/** A page with navigation; without a title it is the overview. */
export function framed(title: string | null, frame: Frame, content: Html): Html {
	const { flash } = frame;
	const places = PLACES.map(([href, name]) => html`<a href="${href}">${name}</a>`);
	return page(
		title,
		html`<header>
				<h1>${title ?? NAME}</h1>
				<nav aria-label="Pages">${places}</nav>
				<form class="search" role="search" action="/page/search">
					<label for="message">Message ID</label>
					<input id="message" name="message" inputmode="numeric" required maxlength="40" />
					<button>Search</button>
				</form>
				${form('/page/logout', frame, 'Log out')}
			</header>
			<main>${flash && html`<p class="flash" role="status">${flash}</p>`} ${content}</main>`,
	);
}

export function section(title: string, content: Html): Html {
	return html`<section>
		<h2>${title}</h2>
		${content}
	</section>`;
}

/** Wide content scrolls by itself, also by keyboard. */
export function scrollable(title: string, content: Html): Html {
	return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}">
		${content}
	</div>`;
}

export function table(title: string, heads: string[], rows: Html[], around: Around = {}) {
	const content = html`<table>
		<tr>
			${heads.map((head) => (head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`))}
		</tr>
		${rows}
	</table>`;
	const { above = null, below = null, none = 'None.' } = around;
	const shown = rows.length === 0 ? html`<p class="quiet">${none}</p>` : scrollable(title, content);
	return section(title, html`${above} ${shown} ${below}`);
}

interface Around {
	above?: Html | null;
	below?: Html | null;
	/** What to say when there are no rows. */
	none?: string;
}

/** Names and values, one below the other. */
export function facts(all: Array<[name: string, value: Html | string | null]>): Html {
	const shown = all
		.filter(([, value]) => value !== null)
		.map(
			([name, value]) =>
				html`<div>
					<dt>${name}</dt>
					<dd>${value}</dd>
				</div>`,
		);
	return html`<dl>${shown}</dl>`;
}

export function figures(all: Array<[name: string, value: string | number, isBad?: boolean]>): Html {
	const shown = all.map(
		([name, value, isBad]) =>
			html`<div><span>${name}</span><b class="${isBad ? 'bad' : ''}">${value}</b></div>`,
	);
	return html`<div class="figures">${shown}</div>`;
}

export function form(action: string, { formToken, here }: Frame, label: string): Html {
	return html`<form method="post" action="${action}">
		<input type="hidden" name="form" value="${formToken}" />
		<input type="hidden" name="from" value="${here}" />
		<button>${label}</button>
	</form>`;
}

/** One page of a list: what fits, and where the next begins. */
export interface Part<T> {
	rows: T[];
	next: number | null;
}

/** The query asks for one row more than fits; if it exists, there is another page. */
export function partOf<T>(found: T[], limit: number, place: (one: T) => number): Part<T> {
	const rows = found.slice(0, limit);
	const last = rows.at(-1);
	return { rows, next: found.length > limit && last !== undefined ? place(last) : null };
}

/** Links to the next page of a list and to its first page. */
export function paging(
	path: string,
	name: 'before' | 'after',
	next: number | null,
	isFirst: boolean,
) {
	const join = path.includes('?') ? '&' : '?';
	const [onward, back] = name === 'before' ? ['Older', 'Newest'] : ['Next', 'Oldest'];
	const links = [
		...(isFirst ? [] : [html`<a href="${path}">${back}</a>`]),
		...(next === null ? [] : [html`<a href="${path}${join}${name}=${next}">${onward}</a>`]),
	];
	return links.length === 0 ? null : html`<nav aria-label="Paging">${links}</nav>`;
}

export function time(iso: string): string {
	return iso.replace('T', ' ').slice(0, 19);
}

export function duration(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	if (seconds < 120) return `${seconds} s`;
	if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
	if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
	return `${Math.round(seconds / 86_400)} days`;
}
