import { html } from './html.ts';
import type { Html } from './html.ts';

// What the pages have in common.

export function page(body: Html): Html {
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>Registered Delivery receiver</title>
				<link rel="stylesheet" href="/page/style.css" />
			</head>
			<body>
				${body}
			</body>
		</html>`;
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

export function table(title: string, heads: string[], rows: Html[], above: Html | null = null) {
	const content = html`<table>
			<tr>
				${heads.map((head) => html`<th>${head}</th>`)}
			</tr>
			${rows}
		</table>
		${rows.length === 0 ? html`<p class="quiet">None.</p>` : null}`;
	return section(title, html`${above} ${scrollable(title, content)}`);
}

export function figures(all: Array<[name: string, value: string | number, isBad?: boolean]>): Html {
	const shown = all.map(
		([name, value, isBad]) =>
			html`<div><span>${name}</span><b class="${isBad ? 'bad' : ''}">${value}</b></div>`,
	);
	return html`<div class="figures">${shown}</div>`;
}

export function form(action: string, token: string, label: string): Html {
	return html`<form method="post" action="${action}">
		<input type="hidden" name="form" value="${token}" /><button>${label}</button>
	</form>`;
}

export function time(iso: string): string {
	return iso.replace('T', ' ').slice(0, 19);
}

export function duration(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	if (seconds < 120) return `${seconds} s`;
	if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
	return `${Math.round(seconds / 3_600)} h`;
}
