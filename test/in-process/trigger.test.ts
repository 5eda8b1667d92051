// The trigger's registration and its way in, against a real receiver.
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';

import { readConfig } from '../../webhook-receiver/src/config.ts';
import type { StoredSubscription } from '../../webhook-receiver/src/contract.ts';
import { startReceiver, type Receiver } from '../../webhook-receiver/src/server.ts';
import { N8nLike, REGISTRATION as key } from './trigger-harness.ts';

const managementToken = 'management-token-of-the-test';
const ingestSecret = 'ingest-secret-of-the-test';

let folder: string;
let receiver: Receiver;
let n8n: N8nLike;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'trigger-test-'));
	n8n = await N8nLike.start();
	receiver = await startReceiver(
		readConfig({
			PORT: '0',
			DATABASE_FILE: join(folder, 'receiver.db'),
			MANAGEMENT_TOKEN: managementToken,
			INGEST_HMAC_SECRETS: ingestSecret,
			ALLOWED_TARGETS: `localhost:${n8n.port}`,
			RETRY_DELAYS: '100ms,100ms,100ms',
			LOG_LEVEL: 'silent',
		}),
	);
});
afterAll(async () => {
	await receiver.close();
	n8n.close();
	await rm(folder, { recursive: true });
});
beforeEach(() => {
	n8n.started.length = 0;
	open();
});
afterEach(async () => {
	open();
	await n8n.hooks.delete.call(n8n.contexts.removing());
});

function open(
	parameters: INodeParameters = {},
	change: object = {},
	more: { isTest?: boolean; webhookUrl?: string } = {},
) {
	const credential = { receiverUrl: receiver.url, managementToken, ...change };
	return n8n.open({
		parameters,
		credentials: { registeredDeliveryReceiverApi: credential },
		...more,
	});
}

async function subscriptions(): Promise<StoredSubscription[]> {
	const answer = await fetch(`${receiver.url}/subscriptions`, {
		headers: { authorization: `Bearer ${managementToken}` },
	});
	return ((await answer.json()) as { data: StoredSubscription[] }).data;
}

/** Posts an event as the service would, and waits until the executions it starts have started. */
async function serviceSends(event: object | object[], executions = 1): Promise<void> {
	const wanted = n8n.started.length + executions;
	const body = JSON.stringify(event);
	const timestamp = String(Math.floor(Date.now() / 1000));
	const signature = createHmac('sha256', ingestSecret).update(`${timestamp}.${body}`).digest('hex');
	const answer = await fetch(`${receiver.url}/events`, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'x-webhook-timestamp': timestamp,
			'x-webhook-signature': `sha256=${signature}`,
		},
		body,
	});
	expect(answer.status).toBe(200);
	for (let waited = 0; n8n.started.length < wanted && waited < 30_000; waited += 20)
		await sleep(20);
}

describe('registration', () => {
	const exists = () => n8n.hooks.checkExists.call(n8n.contexts.registering());
	const create = () => n8n.hooks.create.call(n8n.contexts.registering());

	it('is made, found, kept and removed', async () => {
		expect(await exists()).toBe(false);
		await create();
		expect(await subscriptions()).toMatchObject([
			{ key, url: expect.stringContaining(`${n8n.url}/`), events: ['*'], expiresAt: null },
		]);
		expect(await exists()).toBe(true);
		await create();
		expect(await subscriptions()).toHaveLength(1);
		await n8n.hooks.delete.call(n8n.contexts.removing());
		expect(await subscriptions()).toEqual([]);
	});

	it('is gone already when it is removed: no error', async () => {
		expect(await n8n.hooks.delete.call(n8n.contexts.removing())).toBe(true);
	});

	const drifts: Array<[string, INodeParameters, object]> = [
		['other events', { events: ['lre.failed'] }, {}],
		['a filter', { options: { fileReference: 'INV-1' } }, {}],
		['a status', { options: { statuses: ['OPENED'] } }, {}],
		['other message types', { options: { messageTypes: ['AES'] } }, {}],
		['larger batches', { options: { batchSize: 50 } }, {}],
	];
	it.each(drifts)('is brought in line after %s', async (_, parameters, credential) => {
		await create();
		open(parameters, credential);
		expect(await exists()).toBe(false);
		await create();
		expect(await exists()).toBe(true);
		expect(await subscriptions()).toHaveLength(1);
	});

	it('is brought in line when the URL of n8n changed', async () => {
		await create();
		open({}, {}, { webhookUrl: n8n.url.replace('/webhook', '/other') });
		expect(await exists()).toBe(false);
	});

	it('of a test is apart from production, and ends by itself', async () => {
		await create();
		const testContexts = open({}, {}, { isTest: true });
		await n8n.hooks.create.call(testContexts.registering());
		const [production, test] = await subscriptions();
		expect(production.key).toBe(key);
		expect(test.key).toBe(key.replace('production', 'test'));
		expect(test.url).toContain('/webhook-test/');
		expect(new Date(test.expiresAt ?? 0).getTime()).toBeGreaterThan(Date.now() + 120_000);
		await n8n.hooks.delete.call(testContexts.removing());
		expect(await subscriptions()).toMatchObject([{ key }]);
	});

	it.each([
		['a wrong management token', { managementToken: 'wrong-token-of-the-test' }, /does not accept/],
		['nobody there', { receiverUrl: 'http://localhost:1' }, /cannot be reached/],
	])('fails plainly: %s', async (_, credential, message) => {
		open({}, credential);
		await expect(create()).rejects.toThrow(message);
	});

	it('fails plainly: n8n is no target the receiver may call', async () => {
		open({}, {}, { webhookUrl: 'https://n8n.example/webhook' });
		await expect(create()).rejects.toMatchObject({
			message: expect.stringMatching(/refused the registration: .*n8n\.example/),
			description: expect.stringMatching(/n8n\.example:443.*ALLOWED_TARGETS.*N8N_WEBHOOK_URL/),
		});
		expect(await subscriptions()).toEqual([]);
	});

	it.each([
		['n8n is on loopback and the receiver is not', 'http://localhost:5678/webhook'],
		['events would travel unencrypted', 'http://n8n.example/webhook'],
	])('is refused before anything is asked: %s', async (_, webhookUrl) => {
		open({}, { receiverUrl: 'https://receiver.invalid' }, { webhookUrl });
		const refusal = {
			description: expect.stringMatching(/N8N_WEBHOOK_URL \(WEBHOOK_URL in older/),
		};
		await expect(exists()).rejects.toMatchObject(refusal);
		await expect(create()).rejects.toMatchObject(refusal);
	});
});

describe('events', () => {
	const register = async (parameters: INodeParameters = {}) => {
		open(parameters);
		await n8n.hooks.create.call(n8n.contexts.registering());
	};
	const event = (name: string, messageId = '000000000123') => ({
		id: `evt-${name}-${messageId}`,
		event: name,
		messageId,
		timestamp: '2026-01-31T09:30:00.000Z',
	});

	const kinds: Array<[string, string, string, string | null, boolean, boolean]> = [
		['[STAT-01]', 'sent', 'tracked_mail.sent', 'SENT', false, false],
		['[STAT-02]', 'received', 'tracked_mail.received', 'RECEIVED', false, false],
		['[STAT-03]', 'opened', 'tracked_mail.opened', 'OPENED', true, false],
		['[STAT-04]', 'undelivered', 'tracked_mail.undelivered', 'UNDELIVERED', false, true],
		['[STAT-07]', 'failed', 'tracked_mail.failed', null, true, false],
	];
	it.each(kinds)(
		'%s[TYPE-06][EVNT-01][T] aes_%s and its mt_ twin start the workflow as %s',
		async (_, name, type, status, terminal, reversible) => {
			await register();
			for (const [prefix, messageType] of [
				['aes', 'AES'],
				['mt', 'MT'],
			]) {
				const messageId = prefix === 'aes' ? '000000000001' : '000000000002';
				await serviceSends(event(`${prefix}_${name}`, messageId));
				expect(n8n.started.at(-1)).toMatchObject([
					{
						type,
						sourceType: `${prefix}_${name}`,
						messageId,
						messageType,
						status,
						terminal,
						reversible,
						occurredAt: '2026-01-31T09:30:00.000Z',
						raw: { event: `${prefix}_${name}` },
					},
				]);
			}
			expect(n8n.started).toHaveLength(2);
		},
	);

	it('[SCHD-04][EVNT-01][T] lre_failed starts the workflow', async () => {
		await register({ events: ['lre.failed'] });
		await serviceSends(event('lre_failed'));
		expect(n8n.started).toMatchObject([
			[{ type: 'lre.failed', messageType: 'LRE', terminal: true }],
		]);
	});

	it('[STAT-05][T] a delivery after a bounce starts it again', async () => {
		await register();
		for (const name of ['aes_received', 'aes_undelivered', 'aes_received']) {
			await serviceSends({
				event: name,
				messageId: '000000000555',
				timestamp: new Date(Date.now() + n8n.started.length * 1000).toISOString(),
			});
		}
		expect(n8n.started.flat().map(({ status }) => status)).toEqual([
			'RECEIVED',
			'UNDELIVERED',
			'RECEIVED',
		]);
	});

	it('[EVNT-01][T] events that were not asked for start nothing', async () => {
		await register({ events: ['tracked_mail.opened'] });
		await serviceSends(event('aes_sent', '000000000777'), 0);
		await serviceSends(event('aes_opened', '000000000777'));
		expect(n8n.started).toMatchObject([[{ type: 'tracked_mail.opened' }]]);
	});

	it('[STAT-03][EVNT-01][T] with a filter by status, others start nothing', async () => {
		await register({ options: { statuses: ['OPENED'] } });
		await serviceSends(event('aes_received', '000000000778'), 0);
		await serviceSends(event('aes_failed', '000000000778'), 0);
		await serviceSends(event('aes_opened', '000000000778'));
		expect(n8n.started).toMatchObject([[{ status: 'OPENED' }]]);
	});

	it('[EVNT-02][T] of unknown name start who asked for any event', async () => {
		await register();
		await serviceSends(event('aes_teleported', '000000000779'));
		expect(n8n.started).toMatchObject([[{ type: 'unknown', sourceType: 'aes_teleported' }]]);
	});

	it('come several to an execution, one item each, when batches are asked for', async () => {
		await register({ options: { batchSize: 10 } });
		const ids = ['000000000881', '000000000882', '000000000883'];
		await serviceSends(ids.map((id) => event('aes_sent', id)));
		expect(n8n.started.map((items) => items.map(({ messageId }) => messageId))).toEqual([ids]);
	});
});
