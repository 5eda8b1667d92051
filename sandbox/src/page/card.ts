import { createHash } from 'node:crypto';
import { copyable } from './copyable.ts';
import { badge, kindOf } from '../html/badge.ts';
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
			<h2>${name}</h2>
			<span class="quiet">${email}</span>
			${badge(status)}
		</header>
		<div class="columns">
			<div class="mail">${mail}</div>
			<div>${aside}</div>
		</div>`;
	return versioned(key, content);
}

/** Its version changes with the content; the script replaces a card only then, so that nothing open flickers. */
export function versioned(key: string, content: Html, className = 'card'): Html {
	const version = createHash('sha1').update(content.text).digest('hex').slice(0, 12);
	return html`<article class="${className}" data-key="${key}" data-version="${version}">
		${content}
	</article>`;
}

/** A mail as shown in the mailbox: it runs nothing, and what it links to opens in a tab of its own. */
export const mailFrame = (src: string, title: string, className: string): Html =>
	html`<iframe
		sandbox="${FRAME_SANDBOX}"
		src="${src}"
		title="${title}"
		class="${className}"
		loading="lazy"
	></iframe>`;

export const action = (path: string, name: string): Html =>
	html`<button type="button" data-post="/_sandbox${path}">${name}</button>`;

/** What happened, oldest first. */
export const timeline = (entries: Array<{ at: number; text: string; status: string }>): Html =>
	html`<h3>Timeline</h3>
		<ol class="timeline">
			${entries.map(
				({ at, text, status }) =>
					html`<li class="${kindOf(status)}">
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
