/** HTML that is safe to embed in a page as it is. */
export class Html {
	readonly text: string;
	constructor(text: string) {
		this.text = text;
	}
}

type Part = string | number | null | Html | Html[];

/** Template tag that escapes every value except HTML produced by this same tag. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Html {
	return new Html(
		literals.map((literal, index) => literal + rendered(parts[index] ?? null)).join(''),
	);
}

function rendered(part: Part): string {
	if (part === null) return '';
	if (part instanceof Html) return part.text;
	if (Array.isArray(part)) return part.map(({ text }) => text).join('');
	return String(part).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

const ESCAPES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};
