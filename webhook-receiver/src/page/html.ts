/** Text that is HTML already. */
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
 * HTML with every value escaped unless it is HTML itself, since anybody may write what events hold. Our
 * own: the small libraries have HTML as plain strings, so types can't tell it from text, and hono's tag
 * comes with a whole framework.
 */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
	const parts = strings.map((string, index) => string + asHtml(values[index] ?? null));
	return new Html(parts.join(''));
}

function asHtml(value: Value): string {
	if (value === null) return '';
	if (value instanceof Html) return value.text;
	if (typeof value === 'object') return value.map(asHtml).join('');
	return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
