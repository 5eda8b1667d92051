/**
 * The words of an HTML text: no markup, entities decoded, white space collapsed. For error messages; `textOf`
 * measures the text of a letter.
 */
export function plainText(html: string): string {
	return decodeEntities(
		html
			.replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, ' ')
			.replace(/<!--[\s\S]*?-->/g, ' ')
			.replace(/<[^>]*>/g, ' '),
	)
		.replace(/\s+/g, ' ')
		.trim();
}

/** Cuts a text that is too long for a message, between characters. */
export function shortened(text: string, most = 200): string {
	const characters = [...text];
	return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}

/** The same with the entities decoded in all its texts. */
export function decodedTexts<T extends object>(answer: T): T {
	const decoded = (_: string, value: unknown) =>
		typeof value === 'string' ? decodeEntities(value) : value;
	return JSON.parse(JSON.stringify(answer, decoded)) as T;
}

/** Decodes the entities that JSON APIs escape text with, once: `&amp;lt;` means `&lt;`. Others stay as they came. */
function decodeEntities(text: string): string {
	return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (entity, ...groups) => {
		const [hex, decimal, name] = groups as Array<string | undefined>;
		if (name !== undefined) return ENTITIES.get(name) ?? entity;
		const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
		const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
		return isCharacter ? String.fromCodePoint(code) : entity;
	});
}

const ENTITIES = new Map(
	Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }),
);
