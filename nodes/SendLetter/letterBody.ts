/** Characters of text in tracked mail, both inclusive (rule AES-03). */
const TRACKED_MAIL_TEXT = { min: 2, max: 10_000 };

/**
 * What is wrong with a letter's body, or null (rules SEND-04, AES-03). A letter is empty if it has
 * no text and no image once scripts, styles and comments are removed.
 */
export function bodyProblem(html: string, isTrackedMail: boolean): string | null {
	const text = textOf(html);
	if (text === '' && !hasImage(html)) return 'The letter has no text and no image.';
	if (!isTrackedMail) return null;
	const length = [...text].length;
	if (length >= TRACKED_MAIL_TEXT.min && length <= TRACKED_MAIL_TEXT.max) return null;
	return `Tracked mail needs a text of ${TRACKED_MAIL_TEXT.min} to ${TRACKED_MAIL_TEXT.max} characters; this one has ${length}.`;
}

/** The text a reader sees: no markup, entities as one character each, trimmed. */
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
 * What a reader does not see, matched from left to right like a browser: "<!--" within a script or
 * an attribute does not start a comment. Everything else is text, so that the pack never rejects a
 * letter the service would accept. Unclosed markup ends with the letter, which also keeps the
 * search from starting over at every "<".
 */
const MARKUP = new RegExp(
	[
		/<!--(?:-?>|.*?(?:--!?>|$))/,
		/<(script|style)(?=[\s/>]).*?(?:<\/\1(?=[\s/>])[^>]*(?:>|$)|$)/,
		/<[!?][^>]*(?:>|$)/,
		// A tag with its attributes; a quoted value may contain ">".
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
