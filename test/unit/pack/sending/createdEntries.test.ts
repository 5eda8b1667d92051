import fc from 'fast-check';

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
		'by address, where another is rewritten',
		[made('2', BEN), made('1', 'x@y.example')],
		[ADA, BEN],
		['1', '2'],
	],
	[
		'by address, in Unicode or in Punycode, composed or apart',
		[made('2', 'zoe\u0308@m\u00fcller.example'), made('1', 'ada@xn--mller-kva.example')],
		['Ada@müller.example', 'zo\u00eb@xn--mller-kva.example'],
		['1', '2'],
	],
	[
		'in order, where two are rewritten and nothing is out of order',
		[made('1', 'x@y.example'), made('2', BEN), made('3')],
		[ADA, BEN, 'cleo@example.com'],
		['1', '2', '3'],
	],
	[
		'by address, and in order among those that were sent twice',
		[made('2', BEN), made('1', ADA), made('3', ADA)],
		[ADA, BEN, ADA],
		['1', '2', '3'],
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

it.each<[string, unknown[], string[]]>([
	['an address twice that was sent once', [made('1', BEN), made('2', BEN)], [ADA, BEN]],
	[
		'two that are rewritten, and a third out of order',
		[made('3', 'cleo@example.com'), made('1', 'x@y.example'), made('2', 'y@y.example')],
		[ADA, BEN, 'cleo@example.com'],
	],
])('[CUST-01][CONS-01][N] does not guess whose is whose: %s', (_, list, emails) => {
	expect(readCreated(list, emails)).toBeNull();
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

it('[CUST-01][CONS-01][N] an entry goes to the address that it names, or nowhere', () => {
	const people = ['ada', 'ben', 'cleo', 'dora', 'éva'].map((name) => `${name}@müller.example`);
	const spelled = (email: string) =>
		fc.constantFrom(
			email,
			email.toUpperCase(),
			email.normalize('NFD'),
			'rewritten@y.example',
			undefined,
			email.replace('müller', 'xn--mller-kva'),
		);
	const answer = fc
		.shuffledSubarray(people, { minLength: 5 })
		.chain((order) =>
			fc.tuple(...order.map((email) => spelled(email).map((named) => ({ id: email, named })))),
		);
	fc.assert(
		fc.property(answer, (entries) => {
			const list = entries.map(({ id, named }) => made(id, named));
			const created = readCreated(list, people);
			const isNamed = ({ named }: (typeof entries)[number]) =>
				named !== undefined && named !== 'rewritten@y.example';
			const nameless = entries.filter((one) => !isNamed(one));
			for (const { id } of entries.filter(isNamed)) {
				if (created !== null) expect(created[people.indexOf(id)].id).toBe(id);
			}
			if (nameless.length < 2) expect(created?.map(({ id }) => id)).toEqual(people);
		}),
	);
});
