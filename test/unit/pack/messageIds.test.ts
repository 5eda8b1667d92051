import fc from 'fast-check';

import { readMessageIds } from '../../../nodes/shared/fields/messageId.ts';

const ONE = '000000000001';
const TWO = '123456789012';

it.each<[string, unknown, string[]]>([
	['one', ONE, [ONE]],
	['commas', `${ONE},${TWO}`, [ONE, TWO]],
	['commas and spaces', ` ${ONE} , ${TWO} `, [ONE, TWO]],
	['semicolons', `${ONE};${TWO};`, [ONE, TWO]],
	['lines', `${ONE}\n${TWO}\n`, [ONE, TWO]],
	['several separators at once', `,${ONE},; ,${TWO}`, [ONE, TWO]],
	['an array of texts', [ONE, TWO], [ONE, TWO]],
	['an array of numbers, as spreadsheets make them', [1, 123456789012], [ONE, TWO]],
	['a number', 1, [ONE]],
	['JSON of texts', `["${ONE}", "${TWO}"]`, [ONE, TWO]],
	['JSON in single quotes', ` ['${ONE}','${TWO}'] `, [ONE, TWO]],
	['JSON of bare digits, leading zeros kept', `[${ONE},${TWO}]`, [ONE, TWO]],
	['JSON over several lines', `[\n\t"${ONE}",\n\t"${TWO}"\n]`, [ONE, TWO]],
])('[READ-01][N] reads %s', (_title, value, ids) => {
	expect(readMessageIds(value)).toEqual({ value: ids });
});

it.each<[string, unknown, string]>([
	['nothing', undefined, 'at least one'],
	['null', null, 'at least one'],
	['an empty text', '', 'at least one'],
	['separators alone', ' ,;\n', 'at least one'],
	['an empty list', [], 'at least one'],
	['an empty JSON list', '[ ]', 'at least one'],
	['an entry that is none', `${ONE},12345`, '"12345" is not a message ID'],
	['digits of a JSON text that lost a zero', '[1]', '"1" is not a message ID'],
	['an empty entry of an array', [ONE, ''], 'It is empty'],
	['a list in a list', [[ONE]], 'is not a message ID'],
	['an object', { id: ONE }, 'is not a message ID'],
	['false', false, '"false" is not a message ID'],
])('[READ-01][N] refuses %s', (_title, value, words) => {
	expect(readMessageIds(value)).toEqual({ problem: expect.stringContaining(words) });
});

it.each<[string, unknown]>([
	['in a text', `${TWO},${ONE},${TWO}`],
	['in an array, once as a text and once as a number', [TWO, 123456789012]],
])('[READ-01][N] refuses an ID named twice %s, and says which', (_title, value) => {
	expect(readMessageIds(value)).toEqual({
		problem: expect.stringContaining(`${TWO} appears twice`),
	});
});

it('[READ-01][N] any list of IDs is read the same, however it is written', () => {
	const ids = fc.uniqueArray(fc.stringMatching(/^\d{12}$/), { minLength: 1, maxLength: 20 });
	fc.assert(
		fc.property(ids, fc.constantFrom(',', ';', ' ', '\n', ', '), (list, separator) => {
			const expected = { value: list };
			expect(readMessageIds(list)).toEqual(expected);
			expect(readMessageIds(list.map(Number))).toEqual(expected);
			expect(readMessageIds(JSON.stringify(list))).toEqual(expected);
			expect(readMessageIds(list.join(separator))).toEqual(expected);
		}),
	);
});
