// What nobody sees in a value, and what looks like another: refused before anything leaves, and shown.
import fc from 'fast-check';

import { GetStatus } from '../../nodes/GetStatus/GetStatus.node.ts';
import { ManageCustomer } from '../../nodes/ManageCustomer/ManageCustomer.node.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { lookingLike, misleadingText } from '../support/characters.ts';
import type { InputItem } from '../support/n8n-core.ts';
import { sandboxState } from '../support/sandbox.ts';
import { runAt, useStrictSandbox } from './services.ts';

const sandbox = useStrictSandbox();

const ada = { email: 'ada@x.example', firstname: 'Ada', lastname: 'Martin' };
const firm = { email: 'firm@x.example', company: 'Martin SARL' };

/** Sends, or checks, a letter of each row: to its recipients, or to itself. */
const letters = async (rows: object[], parameters: object = {}) =>
	await runAt(
		sandbox,
		new SendLetter(),
		{
			operation: 'send',
			type: 'LS',
			recipientsFrom: 'json',
			body: '={{ $json.body ?? "<p>Dear reader</p>" }}',
			recipientsJson: '={{ $json.recipients ?? $json }}',
			...parameters,
		},
		{ items: rows.map((json) => ({ json }) as InputItem), onError: 'continueRegularOutput' },
	);
const requests = async () =>
	(await sandboxState(sandbox)).requests.filter(({ method }) => method === 'POST');

/** Nothing leaves for any of the rows. @returns what is said of each */
async function refusals(rows: object[], parameters: object = {}): Promise<string[]> {
	const { items } = await letters(rows, parameters);
	expect(await requests()).toEqual([]);
	return items.map(({ json }) => String(json.error).replace(/^Row \d+ of \d+: /, ''));
}

// What else is refused: unit/pack/{recipients,letterBody}.test.ts.
it.each<[string, object, string]>([
	[
		'[RCPT-01] an address with a character that nobody sees',
		{ email: 'ada\u200b@x.example' },
		'Recipients: "email": It is "ada[U+200B]@x.example", which is not an email address: it has U+200B in it',
	],
	['[RCPT-01] one with half a character', { email: 'ada\ud800@x.example' }, 'in it (U+D800)'],
	[
		'[RCPT-01] one that would spoil the request of all',
		{ email: 'ada@x.example,' },
		'Recipients: "email": It is "ada@x.example,", which is not an email address.',
	],
	[
		'[RCPT-02] a name that shows nothing',
		{ firstname: '\u3164' },
		'Recipients: "firstname": It is "[U+3164]", which shows nothing.',
	],
	[
		'[SEND-04][AES-03] a body that shows nothing',
		{ body: '<p>&zwnj;&nbsp;&zwnj;</p>' },
		'Body: The letter has no text and no image.',
	],
])('%s [N] is refused by Check and Send', async (_title, change, words) => {
	const row = { ...ada, ...change };
	expect(await refusals([row])).toEqual([expect.stringContaining(words)]);
	expect(await refusals([row], { type: 'AES' })).toEqual([expect.stringContaining(words)]);
	const { items } = await letters([row], { operation: 'check' });
	const { problems } = items[0].json.check as { problems: Array<Record<string, string>> };
	const told = problems.map(({ parameter, message }) => `${parameter}: ${message}`);
	expect(told).toEqual([expect.stringContaining(words)]);
});

it('[CUST-01][N] the address of a customer as well', async () => {
	const parameters = { operation: 'create', name: 'Lune', email: 'lune\u200b@x.example' };
	const { error } = await runAt(sandbox, new ManageCustomer(), parameters, { account: 'reseller' });
	expect(error?.message).toMatch(
		/^Email: It is "lune\[U\+200B\]@x\.example", which is not an email/,
	);
});

it('a number that may not be what was written is no key, no reference and no identifier', async () => {
	// As the spreadsheet had them: 20260042000000001 and …002.
	const rows = ['20260042000000001', '20260042000000002', '1e21'].map((digits) => ({
		...firm,
		number: Number(digits),
	}));
	const options = { sendOnceKey: '={{ $json.number }}', fileReference: '={{ $json.number }}' };
	const refused = await refusals(rows, { options });
	expect(refused).toEqual(
		rows.map(() =>
			expect.stringMatching(
				/It is the number \S+, and a number this long is not exact\. Format the column as text/,
			),
		),
	);
	const identifier =
		'[{ "email": "a@x.example", "company": "A", "identifier": 12345678901234567890 }]';
	expect(await refusals([{}], { recipientsJson: identifier })).toEqual([
		expect.stringContaining('"identifier": It is the number 12345678901234567000'),
	]);
	const { items } = await letters([{ ...firm, number: 12.5 }], { options });
	expect(items[0].json).toMatchObject({ fileReference: '12.5' });
});

describe('a message shows what nobody sees in what it quotes', () => {
	it.each<[string, object, object, string]>([
		[
			'an identifier',
			{ ...firm, identifier: '732829320\u200b' },
			{},
			'The identifier "732829320[U+200B]" is not a SIREN',
		],
		[
			'a date',
			{ ...ada, at: '2030-01-31T09:30\u200e' },
			{ options: { scheduledAt: '={{ $json.at }}' } },
			'"2030-01-31T09:30[U+200E]" is not a date and time',
		],
		[
			'the name of a column',
			{ '\ufeffemail': 'ada@x.example', ' firstname': 'Ada', lastname: 'Martin' },
			{ recipientsFrom: 'item', body: '<p>Dear reader</p>' },
			'The fields of the item: "[U+FEFF]email", " firstname", lastname.',
		],
		[
			'the name of a file',
			ada,
			{ attachmentFields: 'data\u200b' },
			'The item has no binary field "data[U+200B]".',
		],
	])('%s', async (_, row, parameters, words) => {
		expect(await refusals([row], parameters)).toEqual([expect.stringContaining(words)]);
	});

	it('[READ-01][N] a message ID', async () => {
		const { error } = await runAt(sandbox, new GetStatus(), { messageId: '000000000123\u200b' });
		expect(error?.message).toBe(
			'Message ID: "000000000123[U+200B]" is not a message ID, which has exactly 12 digits.',
		);
	});
});

it('JSON with the mark that some programs put in front of a file is read', async () => {
	const { items } = await letters([{}], { recipientsJson: `\ufeff${JSON.stringify([ada])}` });
	expect(items[0].json.error).toBeUndefined();
});

it('[RCPT-05][RCPT-06][N] nine digits that are a number warn, and so does an address that is there twice', async () => {
	const rows = [
		{ ...firm, identifier: 123457046 },
		{ recipients: [ada, { ...ada, email: 'ben@x.example' }, { ...ada, email: 'ADA@X.example' }] },
	];
	const { items } = await letters(rows, { operation: 'check' });
	const warnings = items.map(({ json }) => (json.check as { warnings: unknown }).warnings);
	expect(warnings).toEqual([
		[
			{
				parameter: 'Identifier',
				message: expect.stringMatching(/^"123457046" \(Martin SARL\) came as a number/),
			},
		],
		[
			{
				parameter: 'Recipients',
				message: 'Recipients 1, 3 have the same address, ada@x.example: it is written to 2 times.',
			},
		],
	]);
	const { hints } = await letters(rows);
	expect(hints.map(({ message }) => message).join()).toMatch(
		/came as a number[^]*is written to 2 times/,
	);
});

it('[RCPT-01][RCPT-02][SEND-04][N] what the node takes, however odd, the service takes as well', async () => {
	const odd = fc.oneof(lookingLike('Zoë'), misleadingText({ maxLength: 3 }));
	const email = fc.oneof(
		lookingLike('zoë@müller.example'),
		fc.tuple(odd, odd).map(([local, domain]) => `${local}@${domain}.example`),
		fc.tuple(odd, odd).map(([local, end]) => `${local}@mail.${end}`),
	);
	const piece = fc.oneof(
		odd,
		fc.constantFrom(
			...'<p> </p> <b </b <!-- --> <img src=x> &lt; &#60; &shy; &nbsp; &#8203; &#0;'.split(' '),
		),
	);
	const body = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
	const who = fc.oneof(fc.record({ email, firstname: odd, lastname: odd }), fc.constant(ada));
	const row = fc.record({ recipients: who, body });
	const { items } = await letters(fc.sample(row, { numRuns: 300, seed: 7 }));
	const told = items.map(({ json: { error, details } }) =>
		error === undefined ? 'sent' : ((details as { status?: number }).status ?? 'refused here'),
	);
	expect(new Set(told)).toEqual(new Set(['sent', 'refused here']));
});
