import { createRequire } from 'node:module';
import type sanitize from 'sanitize-html';
import { showsNothing, withoutUnseen } from '../http/unseen.ts';

const require = createRequire(import.meta.url);
/** Loaded with the first letter, to keep the start fast. */
const sanitizer = () => require('sanitize-html') as typeof sanitize;

/** Length limits for the text of tracked mail (rule AES-03). */
export const TRACKED_TEXT = { min: 2, max: 10_000 };

/** The HTML as stored: layout and images stay; scripts, forms, frames and handlers are removed. */
export function sanitizeBody(html: string): string {
	const sanitizeHtml = sanitizer();
	return sanitizeHtml(html, {
		allowedTags: [...sanitizeHtml.defaults.allowedTags, 'img', 'del', 'ins', 'font'],
		allowedAttributes: {
			a: ['href', 'name', 'title'],
			img: ['src', 'alt', 'title', 'width', 'height'],
			'*': ['style', 'align', 'dir', 'lang'],
		},
		allowedSchemesByTag: { img: ['http', 'https', 'data', 'cid'] },
		allowedStyles: { '*': STYLES },
		nonTextTags: NOT_TEXT,
	});
}

/** The text in any other tag is shown without it. */
const NOT_TEXT = ['script', 'style'];

const VALUE = [/^[\w\s.,#%()"'-]{1,200}$/];
const STYLES = Object.fromEntries(
	`color background-color font-size font-family font-weight font-style text-align text-decoration
	line-height margin padding border width`
		.split(/\s+/)
		.map((property) => [property, VALUE]),
);

/** The text a reader sees: no markup, character references resolved. */
export function textOf(html: string): string {
	const nothing = { allowedTags: [], allowedAttributes: {} };
	const escaped = sanitizer()(html, { ...nothing, nonTextTags: NOT_TEXT });
	return escaped
		.replaceAll('&lt;', '<')
		.replaceAll('&gt;', '>')
		.replaceAll('&quot;', '"')
		.replaceAll('&amp;', '&')
		.trim();
}

/** Lengths as a person counts them, one per character, emoji included: of all, and of those that are seen. */
export function textLength(html: string): { all: number; seen: number } {
	const text = textOf(html);
	return { all: [...text].length, seen: [...withoutUnseen(text).trim()].length };
}

/** Rule SEND-04; design, open points: empty means no text and no image left. */
export const isEmptyBody = (sanitized: string): boolean =>
	showsNothing(textOf(sanitized)) && !/<img\s[^>]*\bsrc=/.test(sanitized);
