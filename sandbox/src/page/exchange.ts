import type { JournalBody } from '../journal/body-tap.ts';
import { versionOf } from './entry-list.ts';
import { html, type Html } from './html.ts';
import { readableSize } from './readable.ts';

/** A row of a list: a request and its outcome. */
export function row(key: string, title: Html, note: Html, outcome: Html): Html {
	const content = html`<div class="who">
			<h2>${title}</h2>
			<p>${note}</p>
		</div>
		${outcome}`;
	return html`<article class="card row" data-key="${key}" data-version="${versionOf(content)}">
		${content}
	</article>`;
}

/** A status code, its colour showing success or failure; `none` without a response. */
export function outcome(status: number | null): Html {
	const kind = status === null || status >= 500 ? 'failed' : status >= 400 ? 'pending' : 'received';
	return html`<span class="status ${kind}">${status ?? 'none'}</span>`;
}

/** Headers and body of a request or an answer. */
export function half(
	title: string,
	headers: Record<string, string>,
	body: JournalBody | null,
): Html {
	return html`<section class="card half" aria-label="${title}">
		<h2>${title}</h2>
		<dl>
			${Object.entries(headers).map(
				([name, value]) =>
					html`<dt>${name}</dt>
						<dd>${value}</dd>`,
			)}
		</dl>
		${body ? bodyOf(body) : html`<p class="quiet">No body.</p>`}
	</section>`;
}

function bodyOf({ size, text, truncated, fields, files }: JournalBody): Html {
	const isUnread = text === null && fields.length === 0 && files.length === 0;
	return html`<h3>Body, ${readableSize(size)}</h3>
		${isUnread ? html`<p class="quiet">A form that was not read.</p>` : null}
		${text === null ? null : html`<pre tabindex="0">${indented(text)}</pre>`}
		${fields.length === 0
			? null
			: html`<dl>
					${fields.map(
						({ name, value }) =>
							html`<dt>${name}</dt>
								<dd>${value}</dd>`,
					)}
				</dl>`}
		${truncated ? html`<p class="quiet">The rest is not kept.</p>` : null}
		${files.length === 0
			? null
			: html`<ul class="files">
					${files.map(
						({ field, name, contentType, size, sha256 }) =>
							html`<li>
								<strong>${name ?? 'File'}</strong> ${field === null ? null : `in ${field}, `}
								${contentType}, ${readableSize(size)}<br />
								<code>${sha256 === null ? 'not whole' : `SHA-256 ${sha256}`}</code>
							</li>`,
					)}
				</ul>`}`;
}

function indented(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}

export const messageLinks = (ids: string[]): Html =>
	html`${ids
		.slice(0, 100)
		.map((id) => html`<a class="id" href="/?q=${id}">${id}</a> `)}${ids.length > 100
		? ` and ${ids.length - 100} more`
		: null}`;
