import { readNewIds } from '../../../nodes/SendLetter/resending.ts';

const [ONE, TWO] = ['000000000001', '000000000002'];

it.each<[string, unknown, string[]]>([
	['one id', ONE, [ONE]],
	['one in quotes', ` "${ONE}" `, [ONE]],
	['a number that lost its zeros', 1, [ONE]],
	['an object', { id: ONE }, [ONE]],
	['a list', [ONE, { id: 2 }], [ONE, TWO]],
])('[RSND-01][RSND-04][N] says what the new ids are: %s', (_, answer, ids) => {
	expect(readNewIds(201, answer, ids.length)).toEqual(ids);
});

it.each<[string, number, unknown, number]>([
	['another status', 200, ONE, 1],
	['nothing', 201, undefined, 1],
	['an empty list', 201, [], 1],
	['too few', 201, [ONE], 2],
	['too many', 201, [ONE, TWO], 1],
	['an id that is none', 201, [ONE, 'soon'], 2],
	['one id for two letters', 201, [ONE, ONE], 2],
	['one id for two letters, in two spellings', 201, [{ id: 1 }, ONE], 2],
	['a list in a list', 201, [[ONE]], 1],
	['quotes that end within it', 201, '"00000000"0001', 1],
	['quotes that begin within it', 201, '0000"00000001"', 1],
])('[RSND-01][RSND-04][N] says nothing: %s', (_, status, answer, count) => {
	expect(readNewIds(status, answer, count)).toBeNull();
});
