// Send Letter: resending, against the sandbox; answers in other shapes, from a stub.
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { runNode, type InputItem, type RunOptions } from '../support/n8n-core.ts';
import {
	control,
	sandboxState,
	serviceCredential,
	startStrictSandbox,
} from '../support/sandbox.ts';
import { startStubService, type StubService } from '../support/stub-service.ts';

const person = { email: 'ada@recipients.example', firstname: 'Ada', lastname: 'Martin' };
const other = { email: 'new@recipients.example', firstname: 'Nina', lastname: 'Petit' };

let sandbox: Sandbox;
let stub: StubService;
beforeAll(async () => {
	sandbox = await startStrictSandbox();
	stub = await startStubService();
});
afterAll(async () => {
	await sandbox.close();
	await stub.close();
});
beforeEach(async () => {
	await control(sandbox, 'POST', '/reset');
	stub.requests = [];
});

interface Options extends Partial<Omit<RunOptions, 'parameters' | 'credentials'>> {
	credential?: object;
}

const run = (parameters: object, { credential, ...options }: Options = {}) =>
	runNode(new SendLetter(), {
		parameters: parameters as RunOptions['parameters'],
		credentials: { registeredDeliveryApi: credential ?? serviceCredential(sandbox, 'direct') },
		...options,
	});

const resend = (messageIds: unknown, options?: Options) =>
	run({ operation: 'resend', messageIds }, options);
const resendTo = (parameters: object, options?: Options) =>
	run({ operation: 'resendTo', ...parameters }, options);

async function send(count = 1, type = 'LS', recipient: object = person, options: object = {}) {
	const { items } = await run({
		type,
		body: '<p>Hello there</p>',
		recipientsFrom: 'json',
		recipientsJson: Array.from({ length: count }, () => recipient),
		options,
	});
	return (items[0].json.messages as Array<{ id: string }>).map(({ id }) => id);
}

const tokenOnly = () =>
	serviceCredential(sandbox, 'direct', { clientCertificate: '', clientKey: '' });
const requests = async (path: RegExp) =>
	(await sandboxState(sandbox)).requests.filter((one) => path.test(one.path));
const resent = async () =>
	(await sandboxState(sandbox)).messages.filter(({ resendOf }) => resendOf !== null);

describe('resend', () => {
	it('[RSND-01][N] sends many again in one multipart request, one output item each', async () => {
		const ids = await send(3);
		const { items, error } = await resend(ids.join(', '));
		expect(error).toBeUndefined();
		const messages = await resent();
		expect(items).toEqual(
			ids.map((id) => ({
				json: { messageId: messages.find(({ resendOf }) => resendOf === id)?.id, resentFrom: id },
				pairedItem: { item: 0 },
			})),
		);
		const sent = await requests(/^\/messages\/resend$/);
		expect(sent).toMatchObject([
			{ headers: { 'content-type': expect.stringMatching(/^multipart\/form-data/) } },
		]);
	});

	it('[RSND-01][N] makes a request for each input item, paired with it', async () => {
		const ids = await send(3);
		const items: InputItem[] = [{ json: { ids: ids.slice(0, 2) } }, { json: { ids: ids[2] } }];
		const result = await resend('={{ $json.ids }}', { items });
		expect(result.items.map(({ pairedItem, json }) => [pairedItem, json.resentFrom])).toEqual([
			[{ item: 0 }, ids[0]],
			[{ item: 0 }, ids[1]],
			[{ item: 1 }, ids[2]],
		]);
		expect(await requests(/^\/messages\/resend$/)).toHaveLength(2);
	});

	it('[RSND-02][RSND-03][N] sends none when one is not there, and says so', async () => {
		const ids = await send(2);
		const { error } = await resend([...ids, '000000000000']);
		expect(error?.message).toContain('(message-not-found)');
		expect(error?.description).toContain('None of the 3 letters was resent');
		expect(await resent()).toEqual([]);
	});

	it('[RSND-02][N] with Continue On Fail the item fails as a whole, and the others go on', async () => {
		const [first, second] = await send(2);
		const items = [[first, '000000000000'], [second]].map((ids) => ({ json: { ids } }));
		const result = await resend('={{ $json.ids }}', { items, onError: 'continueRegularOutput' });
		expect(result.items).toMatchObject([
			{ json: { error: expect.stringContaining('message-not-found') }, pairedItem: { item: 0 } },
			{ json: { resentFrom: second }, pairedItem: { item: 1 } },
		]);
	});

	it('[RSND-03][AUTH-06][N] explains a wrong token, and a customer who is no longer there', async () => {
		const ids = await send();
		const wrong = serviceCredential(sandbox, 'direct', { apiToken: 'wrong' });
		expect((await resend(ids, { credential: wrong })).error?.description).toContain('API token');

		const reseller = serviceCredential(sandbox, 'reseller');
		const { customers } = await sandboxState(sandbox);
		const lune = customers.find(({ state }) => state === 'ACCEPTED');
		const { items } = await run(
			{
				type: 'LS',
				body: '<p>Hello</p>',
				recipientsFrom: 'json',
				recipientsJson: person,
				options: { sender: { mode: 'list', value: lune?.id } },
			},
			{ credential: reseller },
		);
		await control(sandbox, 'POST', `/customers/${lune?.id}/revoke`);
		const { error } = await resend(items[0].json.messageId, { credential: reseller });
		expect(error?.message).toContain('(customer-not-found)');
		expect(error?.description).toContain('delegation to this account may have ended');
	});

	it('[RSND-05][N] an LRE needs the client certificate, which the error says', async () => {
		const ids = await send(1, 'LRE');
		const { error } = await resend(ids, { credential: tokenOnly() });
		expect(error?.message).toContain('(lre-must-use-mtls)');
		expect(error?.description).toContain('client certificate');
		expect((await resend(ids)).error).toBeUndefined();
	});

	it.each([
		['nothing', ' ', /It is empty/],
		['an empty list', [], /It is empty/],
		['11 digits among others', '000000000001, 12345678901', /"12345678901" is not a message ID/],
		['one twice', '000000000001 000000000001', /appears twice/],
	])('[READ-01][N] %s is refused before any request', async (_, ids, message) => {
		const { error } = await resend(`={{ ${JSON.stringify(ids)} }}`);
		expect(error?.message).toMatch(/^Message IDs: /);
		expect(error?.message).toMatch(message);
		expect(await requests(/resend/)).toEqual([]);
	});

	it.each([
		['lines', '000000000001\n000000000002'],
		['JSON', '["000000000001","000000000002"]'],
		['JSON of bare digits', '[000000000001, 000000000002]'],
		['numbers', '={{ [1, 2] }}'],
	])('takes IDs as %s', async (_, messageIds) => {
		stub.answer = () => ({ status: 201, body: [11, '000000000012'] });
		const { items } = await resend(messageIds, { credential: stub.credential });
		expect(stub.requests[0].body).toMatch(/ids\[0\]"\s+000000000001\s[^]*ids\[1\]"\s+000000000002/);
		expect(items.map(({ json }) => json.messageId)).toEqual(['000000000011', '000000000012']);
	});

	it.each([
		['fewer IDs than letters', ['000000000011']],
		['more IDs than letters', ['000000000011', '000000000012', '000000000013']],
		['something that is no ID', ['000000000011', null]],
		['no list', { done: true }],
	])('[RSND-01][N] takes %s for no answer: the outcome is unknown', async (_, body) => {
		stub.answer = () => ({ status: 201, body });
		const { error } = await resend('000000000001,000000000002', {
			credential: stub.credential,
			retryOnFail: true,
		});
		expect(error?.message).toMatch(/^Outcome unknown: the letter may have been sent again\. /);
		expect(error?.message).toContain(JSON.stringify(body).slice(0, 10));
		expect(stub.requests).toHaveLength(1);
	});

	it('[RSND-01][N] a retry gives the first answer back when a later item had failed', async () => {
		const [first, second] = await send(2);
		await control(sandbox, 'POST', '/faults', {
			faults: [
				{
					path: '/messages/resend',
					skip: 1,
					fault: { kind: 'status', status: 422, code: 'nope', message: 'Not now' },
				},
			],
		});
		const items = [first, second].map((id) => ({ json: { id } }));
		const { items: output, error } = await resend('={{ $json.id }}', { items, retryOnFail: true });
		expect(error).toBeUndefined();
		expect(output).toHaveLength(2);
		expect((await resent()).map(({ resendOf }) => resendOf).sort()).toEqual([first, second].sort());
	});

	it('[RSND-02][N] an answer that never came is an unknown outcome, which a retry does not repeat', async () => {
		const ids = await send();
		await control(sandbox, 'POST', '/faults', {
			faults: [{ path: '/messages/resend', fault: { kind: 'cutAfter' } }],
		});
		const { error } = await resend(ids, { retryOnFail: true });
		expect(error?.message).toMatch(/^Outcome unknown/);
		expect(await resent()).toHaveLength(1);
	});
});

describe('resendTo', () => {
	it('[RSND-04][N] sends one again to its contact', async () => {
		const [id] = await send();
		const { items, error } = await resendTo({ messageId: id });
		expect(error).toBeUndefined();
		const [message] = await resent();
		expect(message).toMatchObject({ resendOf: id, contact: { email: person.email } });
		expect(items).toEqual([
			{ json: { messageId: message.id, resentFrom: id }, pairedItem: { item: 0 } },
		]);
	});

	it.each([
		['the form', { recipientKind: 'person', ...other }],
		['JSON', { recipientsFrom: 'json', recipientsJson: other }],
	])('[RSND-04][N] sends one again to a new contact from %s', async (_, recipients) => {
		const [id] = await send();
		const { items } = await resendTo({ messageId: id, sendTo: 'newContact', ...recipients });
		expect(items[0].json).toMatchObject({ resentFrom: id, email: other.email });
		expect(await resent()).toMatchObject([{ contact: other }]);
		const [request] = await requests(/resend$/);
		expect(request.headers['content-type']).toMatch(/^multipart\/form-data/);
	});

	it('[RCPT-05][N] warns of an identifier that is probably mistyped', async () => {
		const [messageId] = await send();
		const firm = { email: 'firm@mail.example', company: 'Martin SARL', identifier: '732829321' };
		const recipients = { recipientsFrom: 'json', recipientsJson: firm };
		const { hints, error } = await resendTo({ messageId, sendTo: 'newContact', ...recipients });
		expect(error).toBeUndefined();
		expect(hints).toMatchObject([{ message: expect.stringContaining('Row 1: Identifier: ') }]);
	});

	it.each([
		['a JSON text', '"000000000042"', 'application/json'],
		['a JSON number', '42', 'application/json'],
		['a number without zeros to lose', '123456789012', 'application/json'],
		['plain text', '000000000042', 'text/plain'],
		['digits that are no JSON', '000000000042', 'application/json'],
		['a list of one', '["000000000042"]', 'application/json'],
		['an object', '{"id":"000000000042"}', 'application/json'],
	])('[RSND-04][N] keeps the leading zeros of an ID that comes as %s', async (_, body, type) => {
		stub.answer = () => ({ status: 201, body, contentType: type });
		const { items } = await resendTo(
			{ messageId: '000000000001' },
			{ credential: stub.credential },
		);
		const expected = body === '123456789012' ? body : '000000000042';
		expect(items[0].json).toEqual({ messageId: expected, resentFrom: '000000000001' });
	});

	it('[RSND-05][N] an LRE needs the client certificate', async () => {
		const [id] = await send(1, 'LRE');
		const { error } = await resendTo({ messageId: id }, { credential: tokenOnly() });
		expect(error?.message).toContain('(lre-must-use-mtls)');
		expect(error?.description).toContain('client certificate');
	});

	it('[RSND-06][AUTH-06][N] says what to do about a payment, a wrong contact, a letter not there', async () => {
		const [id] = await send();
		await control(sandbox, 'PUT', '/accounts/direct/payment', { accepted: false });
		const unpaid = await resendTo({ messageId: id });
		expect(unpaid.error?.message).toContain('(payment-request-rejected)');
		expect(unpaid.error?.description).toContain('Settle the payment');

		const wrong = await resendTo({
			messageId: id,
			sendTo: 'newContact',
			recipientsFrom: 'json',
			recipientsJson: { ...other, email: 'a<b@x.example' },
		});
		expect(wrong.error?.message).toContain('(message-bad-contacts)');
		expect(wrong.error?.description).toContain('a<b@x.example');

		const missing = await resendTo({ messageId: '000000000000' });
		expect(missing.error?.message).toContain('(message-not-found)');
		expect(await resent()).toEqual([]);
	});

	it.each([
		['two contacts', [person, other], /one contact only; there are 2/],
		['half a person', [{ email: 'x@y.example', firstname: 'X' }], /"lastname" is missing/],
	])('[RSND-06][N] %s are refused before any request', async (_, recipientsJson, message) => {
		const { error } = await resendTo({
			messageId: '000000000001',
			sendTo: 'newContact',
			recipientsFrom: 'json',
			recipientsJson,
		});
		expect(error?.message).toMatch(message);
		expect(await requests(/resend/)).toEqual([]);
	});

	it('[RSND-06][N] a wrong new contact of the form is named by what is on screen', async () => {
		const { error } = await resendTo({
			...{ messageId: '000000000001', sendTo: 'newContact', recipientsFrom: 'form' },
			...{ recipientKind: 'person', email: 'x@y.example', firstname: '={{ "" }}', lastname: 'Y' },
		});
		expect(error?.message).toBe('Send To: First Name is missing.');
	});
});
