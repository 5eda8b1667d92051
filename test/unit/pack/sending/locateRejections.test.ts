// Who is at fault, as far as an answer tells: right, or nobody.
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
	['an address', { data: [{ email: 'bob@x.example' }] }, [1]],
	['upper case', { data: [{ email: 'BOB@X.Example' }] }, [1]],
	['white space around', { data: [{ email: ' bob@x.example ' }] }, [1]],
	['an address that was not sent', { data: [{ email: 'eve@x.example' }] }, []],
	['texts that are addresses', { invalidRecipients: ['bob@x.example', 'DAN@x.example'] }, [1, 3]],
	['a text', { invalidRecipients: ['Bad'] }, []],
	['a field path', { data: { errors: [{ field: 'customers.3.email', message: 'x' }] } }, [3]],
	['a field path in brackets', { errors: [{ field: 'recipients[2].email' }] }, [2]],
	['a field path without a field', { errors: [{ field: 'recipients.2' }] }, [2]],
	['a field path beyond the count', { errors: [{ field: 'customers.9.email' }] }, []],
	['what only looks like a field path', { errors: [{ field: 'of customers[3]email' }] }, []],
	[
		'a field path that its address contradicts',
		{ errors: [{ field: 'customers.0', email: 'bob@x.example' }] },
		[1],
	],
	[
		'a field path beside an address that was not sent',
		{ errors: [{ field: 'customers.0', email: 'eve@x.example' }] },
		[],
	],
	[
		'an address in the words may be a bystander’s',
		{ data: [{ message: 'not bob@x.example' }] },
		[],
	],
	['a number may count from 0 or from 1', { data: [{ index: 0 }, { index: 1 }] }, []],
	['members of data that are no list', { data: { requestId: 'bob', count: 3 } }, []],
])('[SEND-11][CUST-02][CONS-05][N] %s', (_title, answer, positions) => {
	expect(blamed(answer, four)).toEqual(positions);
});

it('[SEND-11][CONS-05][N] an address that was sent twice is nobody’s, unless its place is sure', () => {
	const twice = sent('ann@x.example', 'bob@x.example', 'Ann@x.example');
	expect(blamed({ data: [{ email: 'ann@x.example' }] }, twice)).toEqual([]);
	expect(
		blamed({ data: [{ email: 'ann@x.example', field: 'recipients[2].email' }] }, twice),
	).toEqual([2]);
});

it.each<[unknown, string]>([
	[{ message: 'is bad' }, 'is bad'],
	[{ index: 3, message: 'is bad' }, '{"index":3,"message":"is bad"}'],
	[{ index: 3 }, '{"index":3}'],
	[{ index: 3, field: '', message: 'is bad' }, '{"index":3,"field":"","message":"is bad"}'],
	['', ''],
	[7, '7'],
	[
		{ email: 'a@x.example', field: 'email', message: 'is bad', rule: 'mx' },
		'<a@x.example>, email: is bad (mx)',
	],
	['a@x.example', 'a@x.example'],
	['No mailbox: a@x.example', 'No mailbox: a@x.example'],
	[{ email: 'a@x.example', message: 'no A@x.example' }, 'no A@x.example'],
	[
		{ message: 'L&#39;adresse n&apos;est pas valable &amp; &#233;chou&#xe9;e' },
		'L’adresse n’est pas valable & échouée'.replace(/’/g, "'"),
	],
])('[AUTH-06][N] %j in words', (entry, words) => {
	expect(readRejections({ data: [entry] }).map(rejectionText)).toEqual([words]);
});

const shapes: Record<string, (at: number, email: string) => unknown> = {
	'field path': (at) => ({ field: `recipients.${at}.email`, message: 'is bad' }),
	address: (_, email) => ({ email: email.toUpperCase(), message: 'is bad' }),
	text: (_, email) => email,
};

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
	'[SEND-11][CUST-02][CONS-05][N] generated answers by %s: the culprits are blamed, and nobody else',
	(_name, entryOf) => {
		fc.assert(
			fc.property(emails, fc.infiniteStream(fc.boolean()), (all, guilt) => {
				const culprits = all.flatMap((_, at) => (guilt.next().value ? [at] : []));
				const invalidRecipients = culprits.map((at) => entryOf(at, all[at]));
				expect(blamed({ invalidRecipients }, sent(...all))).toEqual(culprits);
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

it('rows without an address, as those of requests that are about no people, go by the field path', () => {
	const rows: SentRow[] = [{ email: null }, { email: null }];
	const answer = { errors: [{ field: 'ids.1', email: 'a@x.example' }, { email: 'a@x.example' }] };
	expect(blamed(answer, rows)).toEqual([1]);
});
