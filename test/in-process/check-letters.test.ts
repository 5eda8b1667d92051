// Send Letter: what Check says would happen, and what Max Letters keeps from happening.
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import type { InputItem } from '../support/n8n-core.ts';
import { sandboxState } from '../support/sandbox.ts';
import { runAt, useStrictSandbox, type AtService } from './services.ts';

const sandbox = useStrictSandbox();

/** Each item says what its letter is; what it leaves out makes a simple letter to one person. */
const running =
	(operation: 'check' | 'send') =>
	async (rows: object[], parameters: object = {}, options: AtService = {}) => {
		const items: InputItem[] = rows.map((row, index) => ({
			json: { type: 'LS', body: '<p>Dear reader</p>', recipients: [reader(index)], ...row },
		}));
		return await runAt(
			sandbox,
			new SendLetter(),
			{
				operation,
				type: '={{ $json.type }}',
				body: '={{ $json.body }}',
				recipientsFrom: 'json',
				recipientsJson: '={{ $json.recipients }}',
				...parameters,
			},
			{ items, ...options },
		);
	};
const check = running('check');
const send = running('send');

function reader(index: number) {
	return { email: `reader${index}@recipients.example`, firstname: 'Ada', lastname: 'Martin' };
}
const rows = (count: number, row: object = {}) => Array.from({ length: count }, () => row);
const state = () => sandboxState(sandbox);
const checks = ({ items }: Awaited<ReturnType<typeof check>>) =>
	items.map(({ json }) => json.check as Record<string, unknown>);

describe('check', () => {
	it('[TYPE-01][N] says what would be sent, and asks the service nothing', async () => {
		const result = await check(
			[{ type: 'LRE' }, {}, { recipients: [reader(7), reader(8)] }, { type: 'MT' }],
			{},
			{ change: { trackedMailSpelling: 'AES' } },
		);
		expect(result.error).toBeUndefined();
		const ok = {
			ok: true,
			result: 'ok',
			problems: [],
			warnings: [],
			sharesLetterOfRow: null,
			scheduledAt: null,
		};
		expect(checks(result)).toEqual([
			{ ...ok, type: 'LRE', letters: 1, request: 1 },
			{ ...ok, type: 'LS', letters: 1, request: 2 },
			{ ...ok, type: 'LS', letters: 2, request: 3 },
			{ ...ok, type: 'AES', letters: 1, request: 4 },
		]);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(result.hints).toMatchObject([
			{ message: '5 letters would go out in 4 requests: 1 LRE, 3 LS, 1 AES.', type: 'info' },
		]);
		const { requests, messages } = await state();
		expect({ requests, messages }).toEqual({ requests: [], messages: [] });
	});

	it('lists everything that is wrong with an item, and fails for none of it', async () => {
		const broken = {
			type: 'LRE',
			body: ' ',
			recipients: [
				{ email: 'ada', firstname: 'Ada' },
				{ email: 'x@y.example', company: 'X' },
			],
		};
		const options = { sender: 'lune', scheduledAt: 'tomorrow', sendOnceKey: '={{ "" }}' };
		const result = await check(
			[broken],
			{ attachmentFields: 'invoice, terms', options },
			{ account: 'token-only' },
		);
		expect(result.error).toBeUndefined();
		expect(checks(result)).toMatchObject([
			{ ok: false, result: 'problem', type: 'LRE', letters: 0, request: null },
		]);
		const problems = checks(result)[0].problems as Array<Record<string, string>>;
		expect(problems.map(({ parameter, message }) => `${parameter}: ${message}`)).toEqual([
			expect.stringMatching(/^Credential: .*need a client certificate/),
			'Body: The letter has no text and no image.',
			'Recipients: Recipient 1: "email": It is "ada", which is not an email address.',
			'Recipients: Recipient 1: "lastname": It is missing.',
			expect.stringMatching(/^Recipients: Recipient 2: .*needs its identifier/),
			expect.stringMatching(/^Attachment Fields: .*"invoice"/),
			expect.stringMatching(/^Attachment Fields: .*"terms"/),
			expect.stringMatching(/^Sender: "lune" is not a customer ID/),
			expect.stringMatching(/^Scheduled At: "tomorrow" is not a date/),
			expect.stringMatching(/^Send Once Key: It is empty/),
		]);
		expect((await state()).requests).toEqual([]);
	});

	const cases: Array<[string, object, object, AtService]> = [
		['no recipient', { recipients: [] }, {}, {}],
		[
			'[SEND-10][N] a registered letter for a customer',
			{ type: 'LRE' },
			{ options: { sender: '00000000-0000-4000-8000-000000000000' } },
			{},
		],
		['a time in the past', {}, { options: { scheduledAt: '2020-01-01T00:00:00Z' } }, {}],
		['a base URL with http', {}, {}, { change: { baseUrl: 'http://localhost:1' } }],
		['a limit that is none', {}, { options: { maxLetters: '={{ "many" }}' } }, {}],
		['an expression that cannot be evaluated', {}, { body: '={{ $json.body.not.there() }}' }, {}],
	];
	it.each(cases)(
		'finds %s, for which Send would fail with the same words',
		async (_, row, parameters, options) => {
			const [{ result, problems }] = checks(await check([row], parameters, options));
			expect(result).toBe('problem');
			const { error } = await send([row], parameters, options);
			const [{ message }] = problems as Array<{ message: string }>;
			expect(error?.message).toContain(message);
			expect((await state()).requests).toEqual([]);
		},
	);

	it('passes the items on with their data and files, so that the good ones can be sent', async () => {
		const files = { data: { name: 'a.txt', type: 'text/plain', content: Buffer.from('a') } };
		const json = { recipients: [reader(0)], invoice: 'INV-1', body: 'Hello', type: 'LS' };
		const result = await check(
			[],
			{ attachmentFields: 'data' },
			{
				items: [
					{ json, files },
					{ json: { ...json, body: '' }, files },
				],
			},
		);
		expect(result.items[0].json).toMatchObject({ ...json, check: { ok: true } });
		expect(result.items[1].json).toMatchObject({ invoice: 'INV-1', check: { ok: false } });
		expect(result.items[0].binary?.data.fileName).toBe('a.txt');
	});

	it('tells which letters share a request, and which share a letter', async () => {
		const keys = ['a', 'b', 'a', 'c'];
		const result = await check(
			keys.map((key) => ({ key, recipients: [reader(keys.indexOf(key))] })),
			{
				options: {
					sendOnceKey: '={{ $json.key }}',
					groupRecipients: true,
					maxRecipientsPerRequest: 2,
				},
			},
		);
		expect(checks(result)).toMatchObject([
			{ result: 'ok', request: 1, letters: 1 },
			{ result: 'ok', request: 1, letters: 1 },
			{ ok: false, result: 'duplicate', request: null, letters: 0, sharesLetterOfRow: 1 },
			{ result: 'ok', request: 2, letters: 1 },
		]);
		expect(result.hints[0].message).toContain("1 row with the 'Send Once Key' of an earlier row");
	});

	it('[SCHD-01] says when a letter would go out, and in which time zone', async () => {
		const moment = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 86_400_000);
		// Without an expression, for which n8n sets luxon to the zone of the workflow.
		const parameters = {
			type: 'LS',
			body: '<p>Dear reader</p>',
			recipientsJson: [reader(0)],
			options: { scheduledAt: moment.toISOString() },
		};
		const result = await check(rows(1), parameters, { timezone: 'Asia/Tokyo' });
		const local = moment.toLocaleString('sv', { timeZone: 'Asia/Tokyo' }).slice(0, 16);
		expect(checks(result)).toMatchObject([{ scheduledAt: `${local.replace(' ', 'T')}:00+09:00` }]);
		expect(result.hints[0].message).toContain(
			`1 row scheduled for ${local}, in the time zone Asia/Tokyo.`,
		);
	});

	it('claims no key: what was checked can be sent', async () => {
		const options = { sendOnceKey: '={{ $json.type }}-1' };
		await check([{}], { options });
		const { items } = await send([{}], { options });
		expect(items[0].json).not.toHaveProperty('alreadySent');
		expect((await state()).messages).toHaveLength(1);
	});

	describe('identifiers', () => {
		const firm = { email: 'firm@mail.example', company: 'Martin SARL' };
		const mistyped = { ...firm, identifier: '732829321' };
		const message =
			'"732829321" (Martin SARL) is probably mistyped: its last digit is not the check digit of a SIREN.';
		const line = `Row 2: Identifier: ${message}`;
		const items = [{}, { recipients: [reader(1), mistyped] }];

		it('[RCPT-05][N] warns of a check digit that does not fit, and lets the letter out', async () => {
			const result = await check(items);
			expect(checks(result)).toMatchObject([
				{ ok: true, warnings: [] },
				{
					ok: true,
					problems: [],
					letters: 2,
					warnings: [{ parameter: 'Identifier', message }],
				},
			]);
			const [{ message: hint, type }] = result.hints;
			expect(type).toBe('warning');
			expect(hint.split('\n').slice(1)).toEqual([
				'1 of 2 rows has warnings, which do not stop Send Letter:',
				line,
			]);
			const [{ json }] = (await check(items, { output: 'summary' })).items;
			expect(json).toMatchObject({
				ok: true,
				warnings: 1,
				warningList: [{ row: 2, parameter: 'Identifier', message }],
			});
			expect(json.text).toContain(line);
		});

		it('[RCPT-05][N] Send warns of it, and the service takes it by its form alone', async () => {
			const { error, hints } = await send(items);
			expect(error).toBeUndefined();
			expect(hints.map((hint) => hint.message)).toContainEqual(
				`Warnings, which do not stop the node:\n${line}`,
			);
			expect((await state()).messages).toHaveLength(3);
		});
	});

	it('gives a summary with a text for whoever approves it', async () => {
		const result = await check([{ type: 'LRE' }, ...rows(2), { body: ' ' }, { recipients: [] }], {
			output: 'summary',
			options: { maxLetters: 2 },
		});
		expect(result.items).toEqual([
			{
				json: {
					ok: false,
					text: [
						"3 letters would go out in 3 requests: 1 LRE, 2 LS. That is more than 'Max Letters' (2): Send Letter would reject all of them. 2 of 5 rows have problems, which stop Send Letter unless its setting 'On Error' is to continue:",
						'Row 4: Body: The letter has no text and no image.',
						'Row 5: Recipients: There is none. Add at least one.',
					].join('\n'),
					items: 5,
					letters: 3,
					byType: { LRE: 1, LS: 2 },
					requests: 3,
					duplicates: 0,
					problems: 2,
					warnings: 0,
					maxLetters: 2,
					tooMany: true,
					problemList: [
						{ row: 4, parameter: 'Body', message: 'The letter has no text and no image.' },
						{ row: 5, parameter: 'Recipients', message: 'There is none. Add at least one.' },
					],
					warningList: [],
				},
				pairedItem: [0, 1, 2, 3, 4].map((item) => ({ item })),
			},
		]);
		expect(result.hints[0].type).toBe('warning');
	});

	it.each(['everything', '={{ undefined }}', ''])('an output %j is no choice', async (output) => {
		const { error, items } = await check([{}], { output });
		expect(error?.message).toMatch(/^Output: It is .*Choose one of items, summary/);
		expect(items).toEqual([]);
	});

	it('counts what Send then sends', async () => {
		const letters = [
			{ type: 'LRE' },
			...rows(5),
			{ type: 'MT', recipients: [reader(1), reader(2)] },
			{ type: 'AS', body: ' ' },
		];
		const options = { groupRecipients: true, maxRecipientsPerRequest: 3 };
		const { items } = await check(letters, { output: 'summary', options });
		await send(letters, { options }, { onError: 'continueRegularOutput' });
		const { messages, requests } = await state();
		const byType: Record<string, number> = {};
		for (const { type } of messages) byType[type] = (byType[type] ?? 0) + 1;
		expect(items[0].json).toMatchObject({
			letters: messages.length,
			byType,
			requests: requests.length,
			problems: 1,
		});
	});
});

describe('Max Letters on Send', () => {
	const limit = (maxLetters: unknown, more: object = {}) => ({ options: { maxLetters, ...more } });
	const sent = async () => (await state()).messages.length;
	const requests = async () => (await state()).requests.length;

	it('refuses the whole run before the first request, and says what would have gone out', async () => {
		const { error } = await send(
			[{ type: 'LRE' }, { recipients: [reader(1), reader(2)] }, {}],
			limit(3),
		);
		expect(error?.message).toBe(
			'Max Letters: 4 letters would go out (1 LRE, 3 LS), but at most 3 may. None of these was sent.',
		);
		expect(error?.description).toContain("raise the option 'Max Letters'");
		expect(await requests()).toBe(0);
	});

	it('with Continue On Fail every item fails, so that no row is taken for a sent one', async () => {
		const result = await send([...rows(3), { body: ' ' }], limit(2), {
			onError: 'continueRegularOutput',
		});
		expect(result.items).toHaveLength(4);
		for (const { json } of result.items.slice(0, 3)) {
			expect(json).toMatchObject({
				error: expect.stringMatching(/^Max Letters: 3 letters would go out/),
				details: { code: 'too-many-letters', letters: 3, byType: { LS: 3 } },
			});
		}
		expect(result.items[3].json.error).toMatch(/^Row 4 of 4: Body: /);
		expect(await requests()).toBe(0);
	});

	it('lets nothing out when the first item, whose limit counts, has one that cannot be read', async () => {
		const result = await send(rows(2), limit('={{ $itemIndex === 0 ? "many" : 5 }}'), {
			onError: 'continueRegularOutput',
		});
		expect(result.items.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('a whole number of 0 or more is required'),
			expect.stringContaining('a whole number of 0 or more is required'),
		]);
		expect(await requests()).toBe(0);
	});

	it('does not count what went out before under a key', async () => {
		const keys = { sendOnceKey: '={{ $json.recipients[0].email }}' };
		await send(rows(3), limit(3, keys));
		const { items, error } = await send(rows(5), limit(2, keys));
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.alreadySent === true)).toEqual([
			true,
			true,
			true,
			false,
			false,
		]);
		expect(await sent()).toBe(5);
	});

	it('a retry of the node counts only what is left', async () => {
		await sandbox.control('POST /faults', {
			faults: [
				{ path: '/messages/bulk_send', skip: 3, times: 1, fault: { kind: 'status', status: 422 } },
			],
		});
		const { error, items } = await send(rows(4), limit(4, { concurrency: 1 }), {
			retryOnFail: true,
		});
		expect(error).toBeUndefined();
		expect(items).toHaveLength(4);
		expect(await sent()).toBe(4);
	});
});
