/**
 * The words of a page: no markup, entities decoded, white space collapsed. For error messages; `textOf`
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

/** Decodes the entities that services write into their texts, once: `&amp;lt;` means `&lt;`. */
export function decodeEntities(text: string): string {
	return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+\d?));/gi, (entity, ...groups) => {
		const [hex, decimal, name] = groups as Array<string | undefined>;
		if (name !== undefined) return NAMED.get(name) ?? entity;
		const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
		const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
		return isCharacter ? String.fromCodePoint(code) : entity;
	});
}

// The names of U+00A0 to U+00FF, in their order.
const LATIN_1 = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg
plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute
Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve
Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc
atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute
ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`;

const NAMED = new Map<string, string>([
	...LATIN_1.split(/\s+/).map((name, place) => [name, String.fromCodePoint(0xa0 + place)] as const),
	...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", euro: '€' }),
	...Object.entries({ OElig: 'Œ', oelig: 'œ', hellip: '…', ndash: '–', mdash: '—' }),
	...Object.entries({ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bull: '•' }),
]);
