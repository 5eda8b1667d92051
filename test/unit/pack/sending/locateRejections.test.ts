// Who is at fault, from answers of every shape that services are known to give: right, or nobody.
import fc from 'fast-check';

import {
	locateRejections,
	type SentRow,
} from '../../../../nodes/shared/sending/locateRejections.ts';
import { readRejections, rejectionText } from '../../../../nodes/shared/transport/rejections.ts';

const sent = (...emails: string[]): SentRow[] =>
	emails.map((email, itemIndex) => ({ itemIndex, email }));
const blamed = (answer: object, entries: SentRow[]) => [
	...new Set(
		locateRejections(readRejections(answer as Record<string, unknown>), entries).flatMap(
			({ position }) => position ?? [],
		),
	),
];
const four = sent('ann@x.example', 'bob@x.example', 'cem@x.example', 'dan@x.example');

it.each<[string, object, number[]]>([
	['an index from 1 is nobody’s while it could be from 0', { data: [{ index: 2 }] }, []],
	['a 0 shows that it counts from 0', { data: [{ index: 0 }, { index: 2 }] }, [0, 2]],
	['the count shows that it counts from 1', { data: [{ index: 4 }, { index: 1 }] }, [3, 0]],
	['an index as text', { data: [{ index: '0' }, { index: '3' }] }, [0, 3]],
	['0 and the count contradict each other', { data: [{ index: 0 }, { index: 4 }] }, []],
	['an index beyond the count', { data: [{ index: 0 }, { index: 7 }] }, []],
	['an index below 0', { data: [{ index: -1 }, { index: 0 }] }, [0]],
	['half an index', { data: [{ index: 1.5 }] }, []],
	[
		'an address beside an index tells what it counts from',
		{ data: [{ index: 2, email: 'bob@x.example' }, { index: 3 }] },
		[1, 2],
	],
	['an address outweighs an index', { data: [{ index: 0, email: 'cem@x.example' }] }, [2]],
	[
		'an address that was not sent is nobody’s',
		{ data: [{ index: 0, email: 'eve@x.example' }] },
		[],
	],
	['upper case', { data: [{ email: 'BOB@X.Example' }] }, [1]],
	['white space around', { data: [{ email: ' bob@x.example ' }] }, [1]],
	['texts that are addresses', { invalidRecipients: ['bob@x.example', 'DAN@x.example'] }, [1, 3]],
	['a text that holds an address', { invalidRecipients: ['<bob@x.example>: no mailbox.'] }, [1]],
	['a text with an address at its end', { invalidRecipients: ['No mailbox: bob@x.example.'] }, [1]],
	['a text with two addresses', { invalidRecipients: ['bob@x.example is ann@x.example'] }, []],
	['a text without one', { invalidRecipients: ['Bad'] }, []],
	['nested in recipient', { data: [{ recipient: { email: 'bob@x.example' } }] }, [1]],
	['nested in contact', { data: [{ contact: { email: 'bob@x.example' }, reason: 'x' }] }, [1]],
	['nested twice', { data: [{ recipient: { contact: { mail: 'bob@x.example' } } }] }, [1]],
	['in value', { errors: [{ value: 'bob@x.example', message: 'bad' }] }, [1]],
	['a message alone', { errors: [{ message: 'bob@x.example is bad' }] }, [1]],
	[
		'the address of another in a message beside an index',
		{ data: [{ index: 0, message: 'is a duplicate of bob@x.example' }] },
		[0],
	],
	[
		'an object by number and address',
		{ data: { '0': { message: 'x' }, 'bob@x.example': 'y' } },
		[0, 1],
	],
	['an object by address', { invalidRecipients: { 'BOB@x.example': ['one', 'two'] } }, [1]],
	['an object by field path', { errors: { 'recipients.2.email': ['is bad'] } }, [2]],
	['an object by number from 1', { invalidRecipients: { '1': 'bad', '4': 'bad' } }, [0, 3]],
	[
		'one entry without a list',
		{ invalidRecipients: { email: 'bob@x.example', message: 'x' } },
		[1],
	],
	['a field path', { data: { errors: [{ field: 'customers.3.email', message: 'x' }] } }, [3]],
	['a field path beyond the count', { errors: [{ field: 'customers.9.email' }] }, []],
	[
		'a field path that its address contradicts',
		{ errors: [{ field: 'customers.0', email: 'bob@x.example' }] },
		[1],
	],
	['other members of data', { data: { requestId: 'bob', count: 3 } }, []],
])('[SEND-11][CUST-02][CONS-05][N] %s', (_title, answer, positions) => {
	expect(blamed(answer, four)).toEqual(positions);
});

it('[SEND-11][CONS-05][N] an address that was sent twice is nobody’s, unless its place is sure', () => {
	const twice = sent('ann@x.example', 'bob@x.example', 'Ann@x.example');
	expect(blamed({ data: [{ email: 'ann@x.example' }] }, twice)).toEqual([]);
	expect(blamed({ data: [{ email: 'ann@x.example', index: 2 }, { index: 0 }] }, twice)).toEqual([
		2, 0,
	]);
	expect(
		blamed({ data: [{ email: 'ann@x.example', field: 'recipients[2].email' }] }, twice),
	).toEqual([2]);
});

it.each<[unknown, string]>([
	[{ index: 3, message: 'is bad' }, 'index 3: is bad'],
	[
		{ email: 'a@x.example', field: 'email', message: 'is bad', rule: 'mx' },
		'<a@x.example>, email: is bad (mx)',
	],
	['a@x.example', 'a@x.example'],
	['No mailbox: a@x.example', 'No mailbox: a@x.example'],
	[
		{ message: 'L&#39;adresse n&apos;est pas valable &amp; &eacute;chou&eacute;e' },
		'L’adresse n’est pas valable & échouée'.replace(/’/g, "'"),
	],
	[{ recipient: { email: 'a@x.example' }, reason: 'is bad' }, '<a@x.example>: is bad'],
])('[AUTH-06][N] %j in words', (entry, words) => {
	expect(readRejections({ data: [entry] }).map(rejectionText)).toEqual([words]);
});

interface Shape {
	/** Whether it gives addresses, so that everyone at fault must be found. */
	hasAddress: boolean;
	answer(culprits: number[], emails: string[]): object;
}
const entries = (hasAddress: boolean, entry: (at: number, email: string) => unknown): Shape => ({
	hasAddress,
	answer: (culprits, emails) => ({
		invalidRecipients: culprits.map((at) => entry(at, emails[at])),
	}),
});
const keyed = (hasAddress: boolean, key: (at: number, email: string) => string): Shape => ({
	hasAddress,
	answer: (culprits, emails) => ({
		data: Object.fromEntries(culprits.map((at) => [key(at, emails[at]), 'is bad'])),
	}),
});
const shapes: Record<string, Shape> = {
	'index from 0': entries(false, (index) => ({ index, message: 'is bad' })),
	'index from 1': entries(false, (at) => ({ index: at + 1, message: 'is bad' })),
	'index as text from 1': entries(false, (at) => ({ index: String(at + 1), message: 'is bad' })),
	'index from 1 with address': entries(true, (at, email) => ({ index: at + 1, email })),
	'field path': entries(true, (at) => ({ field: `recipients.${at}.email`, message: 'is bad' })),
	address: entries(true, (_, email) => ({ email, message: 'is bad' })),
	'upper case': entries(true, (_, email) => ({ email: email.toUpperCase(), message: 'is bad' })),
	text: entries(true, (_, email) => email),
	'text around': entries(true, (_, email) => `The address <${email}> is unknown.`),
	'text in front': entries(true, (_, email) => `Unknown: ${email}`),
	recipient: entries(true, (_, email) => ({ recipient: { email }, reason: 'is bad' })),
	contact: entries(true, (_, email) => ({ contact: { email } })),
	value: entries(true, (_, email) => ({ value: email, message: 'is bad' })),
	'by number from 0': keyed(false, (at) => String(at)),
	'by number from 1': keyed(false, (at) => String(at + 1)),
	'by address': keyed(true, (_, email) => email),
	'by path': keyed(true, (at) => `recipients.${at}.email`),
};

// As people have them; quotes and the like at an end of the local part would have to be told from the text's own.
const email = fc
	.tuple(
		fc.stringMatching(/^[a-z0-9][a-z0-9.+_'-]{0,8}[a-z0-9]$/),
		fc.constantFrom('x.example', 'Y.example'),
	)
	.map(([name, host]) => `${name}@${host}`);
const emails = fc.uniqueArray(email, {
	minLength: 1,
	maxLength: 12,
	selector: (one) => one.toLowerCase(),
});

it.each(Object.entries(shapes))(
	'[SEND-11][CUST-02][CONS-05][N] generated answers by %s: only culprits are blamed, all where addresses tell',
	(_name, { hasAddress, answer }) => {
		fc.assert(
			fc.property(emails, fc.infiniteStream(fc.boolean()), (all, guilt) => {
				const culprits = all.flatMap((_, at) => (guilt.next().value ? [at] : []));
				const found = blamed(answer(culprits, all), sent(...all)).sort((a, b) => a - b);
				expect(culprits).toEqual(expect.arrayContaining(found));
				if (hasAddress) expect(found).toEqual(culprits);
			}),
			{ numRuns: 200 },
		);
	},
);

it('[SEND-11][N] never throws, whatever JSON comes', () => {
	const named = fc.constantFrom('data', 'errors', 'invalidRecipients');
	fc.assert(
		fc.property(fc.dictionary(named, fc.jsonValue()), (answer) => {
			for (const { position } of locateRejections(readRejections(answer), four)) {
				expect(position === null || four[position] !== undefined).toBe(true);
			}
		}),
		{ numRuns: 500 },
	);
});

describe('rows without an address, as those of requests that are about no people', () => {
	const rows: SentRow[] = [0, 1, 2].map((itemIndex) => ({ itemIndex, email: null }));

	it.each<[string, object, number[]]>([
		['go by their number', { data: [{ index: 0 }, { index: 2 }] }, [0, 2]],
		['also where an address stands beside it', { data: [{ index: 0, email: 'a@x.example' }] }, [0]],
		['not by an address alone', { data: [{ email: 'a@x.example' }] }, []],
		[
			'not without a number, though others have one',
			{ data: [{ message: 'odd' }, { index: 0 }] },
			[0],
		],
		[
			'not if the count is reached and nothing is said',
			{ data: [{ message: 'odd' }, { index: 3 }] },
			[2],
		],
	])('%s', (_, answer, expected) => {
		expect(blamed(answer, rows)).toEqual(expected);
	});

	it('a rejection without a number or an address is nobody’s', () => {
		const answer = { data: [{ message: 'odd' }, { index: 0, message: 'bad' }] };
		expect(locateRejections(readRejections(answer), rows).map(({ position }) => position)).toEqual([
			null,
			0,
		]);
	});
});
