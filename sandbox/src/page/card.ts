import { createHash } from 'node:crypto';
import { copyable } from './copyable.ts';
import { FRAME_SANDBOX } from '../html/framed.ts';
import { html, type Html } from '../html/html.ts';
import { readableTime } from '../html/readable.ts';

interface Card {
	key: string;
	/** The mailbox owner. */
	name: string;
	email: string;
	status: string;
	/** The mail and its available actions. */
	mail: Html;
	/** The history and the subject of the mail. */
	aside: Html;
}

/** The common frame of everything a person got a mail about. */
export function card({ key, name, email, status, mail, aside }: Card): Html {
	const content = html` <header>
			<span class="avatar" aria-hidden="true">${[...name][0] ?? '?'}</span>
			<div class="who">
				<h2>${name}</h2>
				<p>${email}</p>
			</div>
			${badge(status)}
		</header>
		<div class="columns">
			<div class="mail">${mail}</div>
			<aside>${aside}</aside>
		</div>`;
	return versioned(key, 'card', content);
}

/** Its version changes with the content; the script replaces a card only then, so that nothing open flickers. */
export function versioned(key: string, className: string, content: Html): Html {
	const version = createHash('sha1').update(content.text).digest('hex').slice(0, 12);
	return html`<article class="${className}" data-key="${key}" data-version="${version}">
		${content}
	</article>`;
}

export const badge = (status: string): Html =>
	html`<span class="status ${status.toLowerCase()}">${label(status)}</span>`;

const label = (status: string): string => status.charAt(0) + status.slice(1).toLowerCase();

/** A mail as shown in the mailbox: it runs nothing, and what it links to opens in a tab of its own. */
export const mailFrame = (src: string, title: string, className: string): Html =>
	html`<iframe
		sandbox="${FRAME_SANDBOX}"
		src="${src}"
		title="${title}"
		class="${className}"
		loading="lazy"
	></iframe>`;

export const action = (path: string, name: string, style: string): Html =>
	html`<button type="button" class="${style}" data-post="/_sandbox${path}">${name}</button>`;

/** What happened, oldest first. */
export const timeline = (entries: Array<{ at: number; text: string; status: string }>): Html =>
	html`<h3>Timeline</h3>
		<ol class="timeline">
			${entries.map(
				({ at, text, status }) =>
					html`<li class="${status.toLowerCase()}">
						<span>${text}</span
						><time datetime="${new Date(at).toISOString()}">${readableTime(at)}</time>
					</li>`,
			)}
		</ol>`;

/** Names and values; nulls are omitted. */
export const facts = (rows: Array<[name: string, value: string | null]>): Html =>
	html`<dl>
		${rows.map(([name, value]) =>
			value === null
				? html``
				: html`<dt>${name}</dt>
						<dd class="${COPIED.has(name) ? 'copied' : ''}">
							${COPIED.has(name) ? copyable(name, value) : value}
						</dd>`,
		)}
	</dl>`;

/** Values that tests or support cases need exactly. */
const COPIED = new Set(['Message', 'File', 'Customer', 'Consent', 'Resend of']);
