import { readCreated } from '../../../../nodes/shared/sending/createdEntries.ts';

const [ADA, BEN] = ['ada@example.com', 'ben@example.com'];
const made = (id: unknown, email?: unknown) => ({ id, ...(email !== undefined && { email }) });

it.each<[string, unknown[], string[], unknown[]]>([
	['in order, where no address is named', [made('1'), made('2')], [ADA, BEN], ['1', '2']],
	['by address, in whatever order', [made('2', BEN), made('1', ADA)], [ADA, BEN], ['1', '2']],
	[
		'by address, however it is spelled',
		[made('2', ` ${BEN} `), made('1', 'Ada@Example.COM')],
		[ADA, BEN],
		['1', '2'],
	],
	[
		'by address, where the user spelled it otherwise',
		[made('2', BEN), made('1', ADA)],
		[' ADA@example.com', BEN],
		['1', '2'],
	],
	[
		'in order, where one has another address',
		[made('1', BEN), made('2', 'x@y.example')],
		[ADA, BEN],
		['1', '2'],
	],
	[
		'in order, where an address is named twice',
		[made('1', BEN), made('2', BEN)],
		[ADA, BEN],
		['1', '2'],
	],
	[
		'in order, where an address was sent twice',
		[made('1', ADA), made('2', ADA)],
		[ADA, ADA],
		['1', '2'],
	],
	['with a number for an id', [made(7)], [ADA], [7]],
	['with an id of another kind', [made('c-7')], [ADA], ['c-7']],
	['none of none', [], [], []],
])('[CUST-01][CONS-01][N] whose entry is whose: %s', (_, list, emails, ids) => {
	expect(readCreated(list, emails)?.map(({ id }) => id)).toEqual(ids);
});

it.each<[string, unknown]>([
	['no list', { 0: made('1'), length: 1 }],
	['nothing', undefined],
	['too few', []],
	['too many', [made('1'), made('2')]],
	['an entry without an id', [{ email: ADA }]],
	['an empty id', [made(' ')]],
	['an id that is none', [made(null)]],
	['an entry that is no object', ['1']],
	['an entry that is a list', [[made('1')]]],
])('[CUST-01][CONS-01][N] does not take %s for what was created', (_, list) => {
	expect(readCreated(list, [ADA])).toBeNull();
});

it.each([
	['1', '1'],
	[1, '1'],
	['c-7', ' C-7 '],
])('[CUST-01][CONS-01][N] two must have two ids, not %j and %j', (one, other) => {
	expect(readCreated([made(one, ADA), made(other, BEN)], [ADA, BEN])).toBeNull();
});
