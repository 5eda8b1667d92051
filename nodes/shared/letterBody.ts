/** Bounds of the text of tracked mail, both inclusive (rule AES-03). */
const TRACKED_MAIL_TEXT = { min: 2, max: 10_000 };

/**
 * What is wrong with a letter's body, or null (rules SEND-04, AES-03). An empty letter is one with no
 * text and no image left once scripts, styles and comments are gone (design, section 9).
 */
export function bodyProblem(html: string, isTrackedMail: boolean): string | null {
	const text = textOf(html);
	if (text === '' && !hasImage(html)) return 'The letter has no text and no image.';
	if (!isTrackedMail) return null;
	const length = [...text].length;
	if (length >= TRACKED_MAIL_TEXT.min && length <= TRACKED_MAIL_TEXT.max) return null;
	return `Tracked mail needs a text of ${TRACKED_MAIL_TEXT.min} to ${TRACKED_MAIL_TEXT.max} characters; this one has ${length}.`;
}

/** The text a reader sees: no markup, entities as one character each, ends trimmed. */
export function textOf(html: string): string {
	return html
		.replace(MARKUP, '')
		.replace(/&nbsp;?|&(?:en|em|thin)sp;/gi, ' ')
		.replace(/&#(?:x([0-9a-f]+)|(\d+));?/gi, (_, hex, decimal) => character(hex, decimal))
		.replace(/&[a-z][a-z0-9]*;/gi, '\u{fffd}')
		.replace(/[\u200b\u2060\ufeff]/g, '')
		.trim();
}

function hasImage(html: string): boolean {
	return [...html.matchAll(MARKUP)].some(([markup]) => IMAGE.test(markup));
}

const IMAGE = /^<(?:img|image)[\s/](?:.*[\s/"'])?src\s*=/is;

/**
 * What a reader does not see, each piece found where a browser's reading from left to right finds it:
 * "<!--" within a script or an attribute begins no comment. Everything else is text, because a letter
 * must never be refused that the service would have taken. What is not closed ends with the letter,
 * which also keeps the search from beginning anew at every "<".
 */
const MARKUP = new RegExp(
	[
		/<!--(?:-?>|.*?(?:--!?>|$))/,
		/<(script|style)(?=[\s/>]).*?(?:<\/\1(?=[\s/>])[^>]*(?:>|$)|$)/,
		/<[!?][^>]*(?:>|$)/,
		// A tag with its attributes; a value in quotes may hold ">".
		/<\/?[a-z][^\s/<>]*(?=[\s/>])(?:[\s/]+|[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>][^\s>]*))?)*(?:>|$)/,
	]
		.map(({ source }) => source)
		.join('|'),
	'gis',
);

function character(hex: string | undefined, decimal: string | undefined): string {
	const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
	return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\u{fffd}';
}
