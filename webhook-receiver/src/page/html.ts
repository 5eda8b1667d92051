/** Text that is already HTML. */
export class Html {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}
}

type Value = Html | string | number | null | readonly Value[];

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

/**
 * Control characters, and those that change the direction of text: they could make one text look
 * like another.
 */
const UNSEEN =
	// eslint-disable-next-line no-control-regex
	/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/**
 * HTML with every value escaped unless it is already HTML, since events hold text from anyone. Not a
 * library: the small ones use plain strings for HTML, so types can't tell it from text, and hono's tag
 * brings a whole framework.
 */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
	const parts = strings.map((string, index) => string + asHtml(values[index] ?? null));
	return new Html(parts.join(''));
}

function asHtml(value: Value): string {
	if (value === null) return '';
	if (value instanceof Html) return value.text;
	if (typeof value === 'object') return value.map(asHtml).join('');
	return String(value)
		.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
		.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
