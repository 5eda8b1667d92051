// Get Many and Summarize of Get Status, from the book of a real receiver.
import { randomUUID } from 'node:crypto';

import { GetStatus } from '../../nodes/GetStatus/GetStatus.node.ts';
import { cleanUp, start, TOKEN as managementToken } from '../contract/receiver/harness.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { byReceiver, serviceCredential } from '../support/sandbox.ts';
import { serve } from '../support/http-server.ts';
import { useStrictSandbox } from './services.ts';

const sandbox = useStrictSandbox();
let receiver: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
	receiver = await start();
});
afterAll(cleanUp);

let last = 0;

/** Letters that some workflow sent. */
async function sent(count: number, more: object = {}): Promise<string[]> {
	const holder = randomUUID();
	const letters = Array.from({ length: count }, () => ({
		key: randomUUID(),
		messageId: String(++last).padStart(12, '0'),
	}));
	const facts = { type: 'LRE', sender: null, fileReference: null, customerReference: null };
	const letter = {
		service: 'https://service.example',
		recipients: ['ada@recipients.example'],
		workflow: { id: 'w1', name: 'Reminders' },
		executionId: '7',
		...facts,
		...more,
	};
	for (let at = 0; at < count; at += 500) {
		const some = letters.slice(at, at + 500);
		const claims = some.map(({ key }) => ({
			key,
			state: 'leaving',
			holder,
			leaseSeconds: 60,
			letter,
		}));
		await receiver.manage('PUT', '/claims', { claims });
		const settled = some.map(({ key, messageId }) => ({
			key,
			state: 'sent',
			holder,
			answer: {},
			messageIds: [messageId],
		}));
		expect((await receiver.manage('PUT', '/claims', { claims: settled })).status).toBe(200);
	}
	return letters.map(({ messageId }) => messageId);
}

const run = async (
	operation: string,
	parameters: object,
	change: object = {},
	more: Partial<RunOptions> = {},
) =>
	await runNode(new GetStatus(), {
		...more,
		parameters: { operation, ...parameters } as RunOptions['parameters'],
		credentials: {
			registeredDeliveryApi: serviceCredential(sandbox, 'direct', {
				...byReceiver(receiver.url, managementToken),
				...change,
			}),
		},
	});

it('lists the newest letters, or all of them, whatever page the receiver gives', async () => {
	const ids = await sent(1100, { customerReference: 'many' });
	const options = { customerReference: 'many' };
	const idsOf = async (parameters: object) => {
		const { items, error } = await run('getMany', { options, ...parameters });
		expect(error).toBeUndefined();
		return items.map(({ json }) => json.messageId);
	};
	expect(await idsOf({})).toEqual(ids.slice(-50).toReversed());
	expect(await idsOf({ limit: 501 })).toEqual(ids.slice(-501).toReversed());
	expect(await idsOf({ returnAll: true })).toEqual(ids.toReversed());
});

it('filters by what an item says, and counts likewise', async () => {
	await sent(1, { customerReference: 'C 1', recipients: ['ben@recipients.example'] });
	await sent(2, { customerReference: 'C 2', workflow: { id: 'w2', name: 'Invoices' } });
	await receiver.emit([{ event: 'lre_failed', messageId: last }]);
	const items = ['C 1', 'C 2'].map((reference) => ({ json: { reference } }));
	const options = { customerReference: '={{ $json.reference }}' };
	const counted = await run('summarize', { options }, {}, { items });
	expect(counted.items).toEqual([
		{ json: { total: 1, outcomes: { open: 1 } }, pairedItem: { item: 0 } },
		{ json: { total: 2, outcomes: { open: 1, failed: 1 } }, pairedItem: { item: 1 } },
	]);
	const found = await run('getMany', {
		simplify: false,
		options: { workflow: 'w2', outcome: 'failed' },
	});
	expect(found.items).toMatchObject([
		{
			json: {
				messageId: String(last).padStart(12, '0'),
				outcome: 'failed',
				type: 'LRE',
				workflow: { id: 'w2', name: 'Invoices' },
				customerReference: 'C 2',
				executionId: '7',
				sentAt: expect.stringMatching(/^20.*Z$/),
				changedAt: expect.stringMatching(/^20.*Z$/),
			},
			pairedItem: { item: 0 },
		},
	]);
	expect(found.items[0].json).not.toHaveProperty('beganAt');
	const to = { recipient: 'BEN@recipients.example', since: '2020-01-01T00:00' };
	expect((await run('getMany', { options: to })).items).toHaveLength(1);
	const [{ json }] = (await run('getMany', { options: to })).items;
	expect(Object.keys(json).join()).toBe(
		'messageId,outcome,status,type,recipient,fileReference,customerReference,sentAt,changedAt,link',
	);
	const before = { ...to, until: '={{ new Date(0) }}' };
	expect((await run('getMany', { options: before })).items).toEqual([]);
});

it('links to the story of a letter on the page, or to where one without an ID is settled', async () => {
	const [id] = await sent(1, { fileReference: 'L 1' });
	const letter = {
		service: 'https://service.example',
		type: 'LS',
		sender: null,
		fileReference: 'L 1',
		customerReference: null,
		recipients: ['ada@recipients.example'],
		workflow: { id: 'w1', name: 'Reminders' },
		executionId: '7',
	};
	const claim = { key: randomUUID(), holder: randomUUID() };
	for (const change of [
		{ state: 'leaving', leaseSeconds: 60, letter },
		{ state: 'unknown', reason: 'The connection broke' },
	]) {
		await receiver.manage('PUT', '/claims', { claims: [{ ...claim, ...change }] });
	}
	const options = { fileReference: 'L 1' };
	const { items } = await run('getMany', { options }, { receiverUrl: `${receiver.url}/` });
	expect(items.map(({ json }) => [json.outcome, json.link])).toEqual([
		['unknown', `${receiver.url}/#/letters?outcome=unknown`],
		['open', `${receiver.url}/#/letters/${id}`],
	]);
});

it.each<[object, object, RegExp]>([
	[{ recipient: '={{ $json.nope }}' }, {}, /^Recipient: It is empty for this item/],
	[{ since: 'soon' }, {}, /^Sent Since: "soon" is not a date and time/],
	[{ outcome: 'gone' }, {}, /^Outcome: /],
	[{}, { followWith: 'nothing' }, /^The credential has no webhook receiver/],
	[{}, { receiverUrl: 'http://127.0.0.1:9' }, /^The webhook receiver cannot be reached/],
	[{}, { receiverToken: 'not-the-token-of-it' }, /does not accept the Receiver Token/],
])('what is wrong is said: %j %j', async (options, change, words) => {
	for (const operation of ['getMany', 'summarize']) {
		const { items, error } = await run(operation, { options }, change);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(words);
	}
});

it.each(['<p>Sign in', '{"data":1,"outcomes":[]}', '{"data":[7],"total":"no","outcomes":{}}'])(
	'what is no answer of the receiver is no empty book: %s',
	async (body) => {
		const page = await serve((_, response) => {
			response.setHeader('content-type', 'application/json');
			response.end(body);
		});
		for (const operation of ['getMany', 'summarize']) {
			const { items, error } = await run(operation, {}, { receiverUrl: page.url });
			expect(items).toEqual([]);
			expect(error?.message).toMatch(/is not a webhook receiver/);
		}
		await page.close();
	},
);

it('a page that comes again and again makes no endless list', async () => {
	const [id] = await sent(1);
	const { body } = await receiver.manage('GET', '/letters?limit=1');
	expect(body.data).toMatchObject([{ messageId: id }]);
	const same = await serve((_, response) => {
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify({ ...body, next: '7-7' }));
	});
	const { error } = await run('getMany', { returnAll: true }, { receiverUrl: same.url });
	expect(error?.message).toMatch(/gives the same page of letters again/);
	await same.close();
});
