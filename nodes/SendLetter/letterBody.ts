import { SEEN, withoutUnseen } from '../../webhook-receiver/src/core/unseen';

/** Characters of text in tracked mail, both inclusive (rule AES-03). */
const TRACKED_MAIL_TEXT = { min: 2, max: 10_000 };

/**
 * What is wrong with a letter's body, or null (rules SEND-04, AES-03). A letter is empty if it has
 * no text and no image once scripts, styles and comments are removed.
 */
export function bodyProblem(html: string, isTrackedMail: boolean): string | null {
	const text = textOf(html);
	if (!SEEN.test(text) && !hasImage(html)) return 'The letter has no text and no image.';
	if (!isTrackedMail) return null;
	const seen = withoutUnseen(text).trim();
	// Invisible characters don't make it long enough, but may make it too long for the service.
	const isLongEnough = [...seen].length >= TRACKED_MAIL_TEXT.min;
	const length = [...(isLongEnough ? text : seen)].length;
	if (isLongEnough && length <= TRACKED_MAIL_TEXT.max) return null;
	return `Tracked mail needs a text of ${TRACKED_MAIL_TEXT.min} to ${TRACKED_MAIL_TEXT.max} characters; this one has ${length}.`;
}

/** The text of a letter: no markup, entities as one character each, trimmed. */
export function textOf(html: string): string {
	return html.replace(MARKUP_OR_REFERENCE, shownFor).trim();
}

/** The names in HTML of what is white space; those of what nobody sees. Any other shows something. */
const BLANK = new Set(
	'Tab NewLine nbsp NonBreakingSpace ensp emsp emsp13 emsp14 numsp puncsp thinsp ThinSpace hairsp VeryThinSpace MediumSpace ThickSpace'.split(
		' ',
	),
);
const UNSEEN = new Set(
	'shy zwnj zwj lrm rlm NoBreak af ApplyFunction it InvisibleTimes ic InvisibleComma ZeroWidthSpace NegativeVeryThinSpace NegativeThinSpace NegativeMediumSpace NegativeThickSpace'.split(
		' ',
	),
);

/** Those of the codes 0x80 to 0x9f that stand for no character of Windows-1252, as which HTML reads them. */
const CONTROLS = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/** What a reader sees of markup, which is nothing, or of a reference to a character. */
function shownFor(match: string, ...groups: Array<string | undefined>): string {
	if (match.startsWith('<')) return '';
	const [, , hex, decimal, name] = groups;
	if (name !== undefined) return BLANK.has(name) ? ' ' : UNSEEN.has(name) ? '\u{200b}' : SHOWN;
	const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
	const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
	const isWindows = code >= 0x80 && code <= 0x9f && !CONTROLS.includes(code);
	return isCharacter && !isWindows ? String.fromCodePoint(code) : SHOWN;
}

/** Stands for any character that a reader sees. */
const SHOWN = '\u{fffd}';

function hasImage(html: string): boolean {
	const matches = [...html.matchAll(MARKUP_OR_REFERENCE)];
	return matches.some(({ 0: markup, groups }) => groups?.end && IMAGE.test(markup));
}

const IMAGE = /^<(?:img|image)[\s/](?:.*[\s/"'])?src\s*=/is;

/**
 * What is no plain text, matched from left to right like a browser: "<!--" within a script or an
 * attribute does not start a comment. Everything else is text: a letter has something to read here
 * if it has for the service. Unclosed markup ends with the letter, which also keeps the search from
 * starting over at every "<".
 */
const MARKUP_OR_REFERENCE = new RegExp(
	[
		/<!--(?:-?>|.*?(?:--!?>|$))/,
		/<(script|style)(?=[\s/>]).*?(?:<\/\1(?=[\s/>])[^>]*(?:>|$)|$)/,
		/<!\[CDATA\[.*?(?:\]\]>|$)/,
		/<(?:[!?]|\/(?!$))[^>]*(?:>|$)/,
		// A tag with its attributes; a quoted value may contain ">".
		/<[a-z][^\s/>]*(?:[\s/]+|[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'>][^\s>]*))?)*(?:(?<end>>)|$)/,
		/&(?:#x([0-9a-f]+)|#(\d+)|([a-z][a-z0-9]*(?=;)|nbsp|shy));?/,
	]
		.map(({ source }) => source)
		.join('|'),
	'gis',
);
