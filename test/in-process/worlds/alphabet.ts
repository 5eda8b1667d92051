// What people write with: marks that combine, characters that do not show, both directions, full width, pairs of
// surrogates, and numbers about 2^53, beyond which not every number is one.
import fc from 'fast-check';

/** Ways to write one and the same, as files, spreadsheets and word processors do. */
const SPELLINGS: Array<[string, ...string[]]> = [
	['Zoë', 'Zoe\u0308', 'Zo\u200bë', 'Z\u00ado\u034fë'],
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
	// Even ones are numbers of their own on either side.
	{ weight: 1, arbitrary: fc.constantFrom({ above: -4e6 }, { above: 0 }) },
);

/** A key that is another for each number, however it is spelled. */
export function keyGiven(kind: KeyKind, number: number, spelling: number): string | number {
	if ('above' in kind) {
		const value = 2 ** 53 + kind.above + 2 * number;
		// One that is not safe may be refused, and its text is not.
		return spelling % 2 === 0 || !Number.isSafeInteger(value) ? value : String(value);
	}
	const ways = SPELLINGS[kind.text];
	return `${ways[spelling % ways.length]} key ${number}`;
}

/** For the middle of an address: what not everybody takes, since nobody sees it, is there as well. */
export const inAddress = fc.oneof(
	{ weight: 3, arbitrary: fc.constant('') },
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			...[
				'é',
				'e\u0301',
				'用户',
				'\uff41',
				'שלום',
				'𝒜',
				'👧',
				'\u200b',
				'\u202e',
				'\u00ad',
				'\ud83d',
			],
		),
	},
);

/** A first name. */
export const firstname = fc.oneof(
	{ weight: 3, arbitrary: fc.constant('A') },
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			...[
				'Zoë',
				'Zoe\u0308',
				'\u202bשלום\u202c',
				'\uff21',
				'𝒜',
				'👩\u200d👧',
				'A\u200b',
				'\u200b',
				'A\ud83d',
			],
		),
	},
);
