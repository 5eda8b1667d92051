// Row in, row out: bad entries are taken out of all-or-nothing requests. What it takes where the service names nobody
// or gives no answer: the sending worlds.
import type { IDataObject, INodeType } from 'n8n-workflow';

import { ManageCustomer } from '../../nodes/ManageCustomer/ManageCustomer.node.ts';
import { RequestConsent } from '../../nodes/RequestConsent/RequestConsent.node.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import type { InputItem, RunResult } from '../support/n8n-core.ts';
import { sandboxState } from '../support/sandbox.ts';
import { runAt, TOO_LONG, useStrictSandbox, useStub, type AtService } from './services.ts';

const sandbox = useStrictSandbox();
const stub = useStub();

const run = (node: INodeType, parameters: object, options: AtService) =>
	runAt(sandbox, node, parameters, { onError: 'continueRegularOutput', ...options });

const isolating = { isolateBadEntries: true };
const state = () => sandboxState(sandbox);
const requests = async (path: string) =>
	(await state()).requests.filter((one) => one.path === path);

/** Items that write to somebody each; the names at the positions given are too long for the service. */
const people = (count: number, bad: number[] = []): InputItem[] =>
	Array.from({ length: count }, (_, index) => {
		const name = bad.includes(index) ? TOO_LONG : `P${index}`;
		return { json: { index, name, email: `p${index}@x.example`, firstname: 'A', lastname: name } };
	});

/** Which item got a result of its own, and which an error. */
const verdicts = ({ items }: RunResult) =>
	items.map(({ json, pairedItem }) => [
		(pairedItem as { item: number }).item,
		json.error === undefined ? 'done' : 'failed',
	]);
const expected = (count: number, bad: number[]) =>
	Array.from({ length: count }, (_, index) => [index, bad.includes(index) ? 'failed' : 'done']);

const send = async (items: InputItem[], more: object = isolating, options: AtService = {}) =>
	await run(
		new SendLetter(),
		{
			operation: 'send',
			type: 'LS',
			body: '<p>Dear reader</p>',
			recipientsFrom: 'json',
			recipientsJson: '={{ $json.recipients ?? [$json] }}',
			options: { groupRecipients: true, ...more },
		},
		{ items, ...options },
	);
const customers = async (items: InputItem[], more: object = isolating, options: AtService = {}) =>
	await run(
		new ManageCustomer(),
		{ operation: 'create', name: '={{ $json.name }}', email: '={{ $json.email }}', options: more },
		{ items, account: 'reseller', ...options },
	);
const consents = async (items: InputItem[], more: object = isolating, options: AtService = {}) =>
	await run(
		new RequestConsent(),
		{
			operation: 'create',
			recipientsFrom: 'json',
			recipientsJson: '={{ $json.recipients ?? [$json] }}',
			options: more,
		},
		{ items, ...options },
	);
const resend = async (ids: string[], more: object = isolating, options: AtService = {}) =>
	await run(
		new SendLetter(),
		{ operation: 'resend', messageIds: `={{ ${JSON.stringify(ids)} }}`, options: more },
		options,
	);

async function sentIds(count: number): Promise<string[]> {
	const { items } = await send(people(count));
	return items.map(({ json }) => String(json.messageId));
}

const operations: Array<[string, string, typeof send]> = [
	['letters', '/messages/bulk_send', send],
	['customers', '/customers/bulk_store', customers],
	['consents', '/consents/bulkStore', consents],
];

describe.each(operations)('%s', (_title, path, operation) => {
	it('[SEND-11][CUST-02][CONS-05][N] the bad ones are named and left out, the rest goes in one more request', async () => {
		const bad = [1, 4];
		const result = await operation(people(6, bad));
		expect(result.error).toBeUndefined();
		expect(verdicts(result)).toEqual(expected(6, bad));
		expect(result.items[4].json).toMatchObject({
			error: expect.stringMatching(
				/message-bad-contacts|E_VALIDATION_ERROR|consent-bad-recipients/,
			),
			details: { description: expect.stringMatching(/name: /) },
		});
		expect(await requests(path)).toHaveLength(2);
	});

	it('without the option it is all or nothing', async () => {
		const result = await operation(people(3, [1]), {});
		expect(verdicts(result)).toEqual(expected(3, [0, 1, 2]));
		expect(await requests(path)).toHaveLength(1);
		expect(result.items[0].json.error).toMatch(/because of row 2|in one request with row 2/);
	});

	it('stops before any request when the node would stop at a bad one', async () => {
		const { error } = await operation(people(3, [1]), isolating, { onError: 'stopWorkflow' });
		expect(error?.message).toMatch(
			/: Skip Rejected \w+: Set 'On Error' in the settings of this node/,
		);
		expect(await requests(path)).toEqual([]);
	});
});

describe('letters', () => {
	it('an item stands or falls with all of its recipients', async () => {
		const [good, bad, other] = people(3, [1]).map(({ json }) => json);
		const items = [{ json: { recipients: [good, bad] } }, { json: { recipients: [other, good] } }];
		const result = await send(items);
		expect(verdicts(result)).toEqual([
			[0, 'failed'],
			[1, 'done'],
		]);
		expect(result.items[0].json).toMatchObject({
			details: { description: expect.stringMatching(/^Recipient 2, <p1@x.example>, lastname: /) },
		});
		expect((await state()).messages.map(({ contact }) => contact.email)).toEqual([
			'p2@x.example',
			'p0@x.example',
		]);
	});

	it('gives the key of a bad one free, and keeps those of the others', async () => {
		const keyed = { ...isolating, sendOnceKey: '={{ $json.index }}-isolated' };
		await send(people(3, [1]), keyed);
		const mended = await send(people(3), keyed);
		expect(mended.items.map(({ json }) => json.alreadySent === true)).toEqual([true, false, true]);
		expect((await state()).messages).toHaveLength(3);
	});
});

describe('customers', () => {
	it('go in requests of 250 at most', async () => {
		const bad = [3, 251];
		const result = await customers(people(260, bad));
		expect(verdicts(result)).toEqual(expected(260, bad));
		expect(await requests('/customers/bulk_store')).toHaveLength(4);
	});
});

describe('consents', () => {
	it('each recipient of an item has a result, which names them', async () => {
		const recipients = people(3, [1]).map(({ json }) => json);
		const result = await consents([{ json: { recipients } }]);
		expect(result.items.map(({ json }) => json.email ?? json.details)).toEqual([
			'p0@x.example',
			expect.objectContaining({
				email: 'p1@x.example',
				description: expect.stringMatching(/^Recipient 2, /),
			}),
			'p2@x.example',
		]);
		expect((await state()).consents).toHaveLength(2);
	});
});

describe('resending many', () => {
	const missing = '000000000000';
	const resent = async () =>
		(await state()).messages.flatMap(({ resendOf }) => resendOf ?? []).sort();

	it('[RSND-02][RSND-03][N] finds the ID the service does not name, and sends the rest', async () => {
		const ids = await sentIds(7);
		const named = [...ids.slice(0, 3), missing, ...ids.slice(3)];
		const { items, error } = await resend(named);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.resentFrom ?? json.details)).toEqual([
			...ids.slice(0, 3),
			expect.objectContaining({ resentFrom: missing, code: 'message-not-found' }),
			...ids.slice(3),
		]);
		expect(items[3].json.error).toContain('(message-not-found)');
		expect(await resent()).toEqual([...ids].sort());
		expect((await requests('/messages/resend')).length).toBeLessThanOrEqual(1 + 2 * 3);
	});

	it('Max Letters refuses the whole run, whatever the number of items', async () => {
		const ids = await sentIds(4);
		const items = [ids.slice(0, 3), ids.slice(3)].map((some) => ({ json: { some } }));
		for (const onError of ['stopWorkflow', 'continueRegularOutput'] as const) {
			const result = await run(
				new SendLetter(),
				{ operation: 'resend', messageIds: '={{ $json.some }}', options: { maxLetters: 3 } },
				{ items, onError },
			);
			const words =
				/^Max Letters: 4 letters would go out, but at most 3 may\. None of these was sent\./;
			expect(result.error?.message ?? result.items[1].json.error).toMatch(words);
		}
		const one = await run(
			new SendLetter(),
			{ operation: 'resendTo', messageId: ids[0], options: { maxLetters: 0 } },
			{ onError: 'stopWorkflow' },
		);
		expect(one.error?.message).toMatch(/^Max Letters: 1 letter would go out/);
		expect(await resent()).toEqual([]);
	});
});

describe('who is at fault, as far as an answer tells', () => {
	/** The rows that are told their own fault; null where all are told the same. */
	const blamed = async (answer: object, items = people(4)) => {
		stub.answer = () => ({
			status: 422,
			body: { code: 'message-bad-contacts', message: 'No', ...answer },
		});
		const { items: output } = await send(items, {}, { credential: stub.credential });
		const isBystander = output.map(({ json }) => /^Not sent: .* with row/.test(String(json.error)));
		if (!isBystander.includes(true)) return null;
		return isBystander.flatMap((is, item) => (is ? [] : [item]));
	};

	it.each<[string, object, number[] | null]>([
		['an address', { data: [{ email: 'p1@x.example' }] }, [1]],
		['an address in another spelling', { data: [{ email: ' P1@X.Example ' }] }, [1]],
		['an address that was not sent', { data: [{ email: 'eve@x.example' }] }, null],
		['texts that are addresses', { invalidRecipients: ['p1@x.example', 'P3@x.example'] }, [1, 3]],
		['a text', { invalidRecipients: ['Bad'] }, null],
		['a field path', { data: { errors: [{ field: 'customers.3.email', message: 'x' }] } }, [3]],
		['a field path in brackets', { errors: [{ field: 'recipients[2].email' }] }, [2]],
		['a field path beyond the count', { errors: [{ field: 'recipients.9.email' }] }, null],
		[
			'a field path that its address contradicts',
			{ errors: [{ field: 'recipients.0', email: 'p1@x.example' }] },
			[1],
		],
		[
			'a field path beside an address that was not sent',
			{ errors: [{ field: 'recipients.0', email: 'eve@x.example' }] },
			null,
		],
		[
			'an address in the words, maybe of a bystander',
			{ data: [{ message: 'not p1@x.example' }] },
			null,
		],
		['a number, from 0 or from 1', { data: [{ index: 0 }, { index: 1 }] }, null],
	])('[SEND-11][CUST-02][CONS-05][N] %s', async (_title, answer, rows) => {
		expect(await blamed(answer)).toEqual(rows);
	});

	it('[SEND-11][CONS-05][N] an address that is there twice is nobody’s, unless its place is sure', async () => {
		const twice = people(3);
		twice[2].json!.email = 'P0@x.example';
		const email = 'p0@x.example';
		expect(await blamed({ data: [{ email }] }, twice)).toBeNull();
		expect(await blamed({ data: [{ email, field: 'recipients[2].email' }] }, twice)).toEqual([2]);
	});

	it('[SEND-11][N] each is told its own reasons, the others whose fault it was, and the run all of it', async () => {
		const bad = (name: string) => ({ email: `${name}@x.example`, message: `${name} is bad` });
		const rows = [['ada'], ['ben', 'cid'], ['dan', 'eve']].map((names) => ({
			json: { recipients: names.map((name) => ({ ...person(name) })) },
		}));
		stub.answer = () => ({
			status: 422,
			body: {
				code: 'message-bad-contacts',
				message: 'Bad contacts',
				data: [bad('eve'), bad('cid'), bad('dan'), { message: 'The list is odd' }],
			},
		});
		const at = { credential: stub.credential };
		const { items } = await send(rows, {}, at);
		const told = items.map(({ json }) => [json.error, descriptionOf(json)]);
		expect(told).toEqual([
			[expect.stringMatching(/ with rows 2, 3/), expect.any(String)],
			[
				'Bad contacts (message-bad-contacts)',
				expect.stringMatching(/^Recipient 2, <cid@.*cid is bad\n(?!.*eve)/),
			],
			['Bad contacts (message-bad-contacts)', expect.stringMatching(/eve is bad\n.*dan is bad\n/)],
		]);
		const { error } = await send(rows, {}, { ...at, onError: 'stopWorkflow' });
		expect(error?.message).toBe('Bad contacts (message-bad-contacts) [rows 2, 3]');
		expect(error?.description).toMatch(
			/^Row 2: Recipient 2, <cid@.*\nRow 3: .*eve is bad\nRow 3: .*dan is bad\nThe list is odd\n/,
		);
	});
});

const person = (name: string) => ({ email: `${name}@x.example`, firstname: 'A', lastname: 'B' });

const descriptionOf = ({ details }: IDataObject) => (details as IDataObject).description;
