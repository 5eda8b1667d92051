import { listed, tally } from '../../../nodes/shared/items/rows.ts';

it.each<[Parameters<typeof tally>, string]>([
	[[1, 0], ''],
	[[3, 0], 'Of 3 rows, none was carried out.'],
	[[3, 1, 0, 1], 'Row 2 ended the run: of 3 rows, 1 was carried out.'],
	[[5, 2, 1, 0], 'Row 1 ended the run: of 5 rows, 2 were carried out, 1 may have been.'],
])('what became of the rows %j', (given, text) => {
	expect(tally(...given)).toBe(text);
});

it.each<[number, string[]]>([
	[3, ['a', 'b', 'c']],
	[4, ['a', 'b', 'c']],
	[2, ['a', 'b', '… and 1 more.']],
	[1, ['a', '… and 2 more.']],
])('of three lines, at most %d are shown', (most, expected) => {
	expect(listed(['a', 'b', 'c'], most)).toEqual(expected);
});
