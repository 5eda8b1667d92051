// Characters that mislead: nobody sees them, they look like others, or they are written in two ways.
import fc from 'fast-check';

/** By how they mislead; each list has the edges of its kind. */
export const CHARACTERS = {
	/** Show nothing and take no room. */
	invisible: [
		'\u00ad',
		'\u034f',
		'\u061c',
		'\u115f',
		'\u1160',
		'\u17b4',
		'\u180b',
		'\u180e',
		'\u200b',
		'\u200c',
		'\u200d',
		'\u2060',
		'\u2061',
		'\u2064',
		'\u206a',
		'\u3164',
		'\ufe00',
		'\ufe0f',
		'\ufeff',
		'\uffa0',
		'\ufff9',
		'\u{1d173}',
		'\u{e0001}',
		'\u{e0061}',
		'\u{e0100}',
	],
	/** Set the direction of what is around them. */
	bidirectional: [
		'\u200e',
		'\u200f',
		'\u202a',
		'\u202b',
		'\u202c',
		'\u202d',
		'\u202e',
		'\u2066',
		'\u2067',
		'\u2068',
		'\u2069',
	],
	control: ['\0', '\x01', '\x07', '\x08', '\x1b', '\x7f', '\x80', '\x85', '\x9f'],
	/** Take room, and show nothing; the last is no white space for Unicode. */
	blank: [
		' ',
		'\t',
		'\n',
		'\r',
		'\u00a0',
		'\u1680',
		'\u2002',
		'\u2009',
		'\u2028',
		'\u2029',
		'\u202f',
		'\u205f',
		'\u3000',
		'\u2800',
	],
	/** Change the character before them; in front they stand alone. */
	combining: ['\u0300', '\u0301', '\u0308', '\u0327', '\u0338', '\u05b4', '\u093f', '\u20dd'],
	/** One character in NFC, two in NFD, and some that no form tells apart from another. */
	composed: ['é', 'ë', 'ç', 'ñ', 'ǖ', 'Å', '\u212b', 'İ', 'ế', '가', '\u0958', '\u1e9b\u0323'],
	/** Look like ASCII, and are it in NFKC. */
	fullWidth: ['Ａ', 'ａ', '０', '９', '＠', '．', '－', '＿', '＂', '＜', '\uff61', '\u3002'],
	/** Look like another in a font, or are one in NFKC. */
	alike: ['\u2011', '\u2010', '\u2212', 'ﬁ', '²', '①', 'ſ', 'а', 'ο', 'ı', 'ß', 'ς', '٣'],
	/** Halves of a pair: no text can carry them. */
	surrogate: ['\ud800', '\udbff', '\udc00', '\udfff'],
	/** Beyond 16 bits, of one and of several code points. */
	astral: ['😀', '👩‍👧', '🇫🇷', '𝟙', '𠮷', '\u{10ffff}'],
	/** Mean something to HTML, JSON, mail headers, lists or paths. */
	syntax: [...'<>&"\'\\/@.,;:()[]{}%#?=+-_*`|$!~^'],
	plain: [...'aAzZ09', 'Zoë', 'Dossier', 'x.example'],
};

type Kind = keyof typeof CHARACTERS;

/** One of the characters of these kinds; by default of all. */
export const characterOf = (...kinds: Kind[]): fc.Arbitrary<string> =>
	fc.oneof(
		...(kinds.length > 0 ? kinds : (Object.keys(CHARACTERS) as Kind[])).map((kind) =>
			fc.constantFrom(...CHARACTERS[kind]),
		),
	);

/** Characters that leave no mark where they stand; white space is none of them. */
export const unseenCharacter = characterOf('invisible', 'bidirectional', 'control');

/** A text of them; it may be empty, unless `minLength` says otherwise. */
export const misleadingText = (
	constraints: { minLength?: number; maxLength?: number } = { maxLength: 12 },
): fc.Arbitrary<string> => fc.string({ ...constraints, unit: characterOf() });

/** The text with unseen characters put into it, in another Unicode form, or as it is. */
export const lookingLike = (text: string): fc.Arbitrary<string> =>
	fc.oneof(
		fc.constantFrom(text, text.normalize('NFC'), text.normalize('NFD')),
		fc
			.tuple(fc.nat({ max: [...text].length }), unseenCharacter)
			.map(([at, unseen]) => [...text].toSpliced(at, 0, unseen).join('')),
	);

/** As a sheet gives them: numbers about the limit from which two of them are one, and long fractions. */
export const numberOnTheEdge: fc.Arbitrary<number> = fc.oneof(
	fc.integer({ min: -3, max: 3 }).map((step) => Number.MAX_SAFE_INTEGER + step),
	fc
		.constantFrom('20260042000000001', '20260042000000002', '12345678901234567890', '1e21', '-1e21')
		.map(Number),
	fc
		.constantFrom('0', '-0', '1e-7', '0.30000000000000004', '12.5', '90071992547409.93')
		.map(Number),
);

/** Ways to write one and the same, as files, spreadsheets and word processors do. */
const SPELLINGS: Array<[string, ...string[]]> = [
	['Zoë', 'Zoe\u0308', 'Zo\u200bë', 'Z\u00ado\u034fë', 'Zo\ufeffë'],
	['ABC 1', '\uff21\uff22\uff23\u00a0\uff11', '\ufeffABC\u2003 1\u2060', 'ABC\t1'],
	['A-1', 'A\u20111', 'A\u20131', 'A\u22121\ufe0f'],
	['שלום', '\u202bשלום\u202c', '\u200fשלום\u200e', '\u2067שלום\u2069'],
	['👩👧', '👩\u200d👧', '👩\ufe0f👧'],
	['가', '\u1100\u1161', '\u3164가'],
	['𝒜', 'A', '\uff21'],
];

/** The key of an item: a text, or a number as far from 2^53. */
export type KeyKind = { text: number } | { above: number };

export const keyKind: fc.Arbitrary<KeyKind> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ text: fc.nat(SPELLINGS.length - 1) }) },
	{ weight: 1, arbitrary: fc.constantFrom({ above: -4e6 }, { above: 0 }) },
);

/** A key that is another for each number, however it is spelled; beyond 2^53 two numbers may be one. */
export function keyGiven(kind: KeyKind, number: number, spelling: number): string | number {
	if ('above' in kind) {
		const value = 2 ** 53 + kind.above + number;
		// One that is not safe is refused, and its text would not be.
		return spelling % 2 === 0 || !Number.isSafeInteger(value) ? value : String(value);
	}
	const ways = SPELLINGS[kind.text];
	return `${ways[spelling % ways.length]} key ${number}`;
}

const misleading = characterOf(
	...(Object.keys(CHARACTERS) as Kind[]).filter((kind) => kind !== 'syntax' && kind !== 'plain'),
);

/** For the middle of an address: mostly nothing; what nobody may have there is there as well. */
export const inAddress = fc.oneof(
	{ weight: 3, arbitrary: fc.constant('') },
	{ weight: 1, arbitrary: fc.oneof(misleading, fc.constantFrom('e\u0301', '用户', 'שלום')) },
);

/** A first name, also one that shows nothing. */
export const firstname = fc.oneof(
	{ weight: 3, arbitrary: fc.constant('A') },
	{ weight: 1, arbitrary: misleading.map((one) => `A${one}`) },
	{ weight: 1, arbitrary: fc.oneof(fc.constantFrom('Zoe\u0308', '\u202bשלום\u202c'), misleading) },
);
