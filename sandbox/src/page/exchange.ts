import type { Half, JournalBody } from '../journal/entries.ts';
import { html, type Html } from '../html/html.ts';
import { readableSize } from '../html/readable.ts';

/** Headers and body of a request or an answer. */
export function half(title: string, { headers, body }: Half): Html {
	return html`<section aria-label="${title}">
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
			: html`<ul class="plain">
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
