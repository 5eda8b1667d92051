import { createHmac } from 'node:crypto';

import { subscriptionSecret } from '../../nodes/RegisteredDeliveryTrigger/subscriptionSecret.ts';
import { N8nLike, REGISTRATION as key } from './trigger-harness.ts';

const managementToken = 'management-token-of-the-test';

let n8n: N8nLike;

beforeAll(async () => {
	n8n = await N8nLike.start();
});
afterAll(() => n8n.close());
beforeEach(() => {
	n8n.started.length = 0;
	const credential = { receiverUrl: 'http://localhost:1', managementToken };
	n8n.open({ credentials: { registeredDeliveryReceiverApi: credential } });
});

const signed = (body: string, { secret = '', at = Date.now(), id = 'evt_1' } = {}) => {
	const timestamp = String(Math.floor(at / 1000));
	const bytes = Buffer.from(
		(secret || subscriptionSecret(managementToken, key)).replace('whsec_', ''),
		'base64',
	);
	const signature = createHmac('sha256', bytes)
		.update(`${id}.${timestamp}.${body}`)
		.digest('base64');
	return {
		'webhook-id': id,
		'webhook-timestamp': timestamp,
		'webhook-signature': `v1,${signature}`,
	};
};

describe('[EVNT-04][T] a request that is not the receiver’s', () => {
	const body = JSON.stringify({
		events: [
			{
				id: 'evt_1',
				type: 'unknown',
				sourceType: null,
				messageId: null,
				messageType: null,
				status: null,
				terminal: false,
				reversible: false,
				occurredAt: null,
				receivedAt: '2026-01-31T09:30:00.000Z',
				fileReference: null,
				customerReference: null,
				sequence: 1,
				raw: {},
			},
		],
	});
	const minute = 60_000;

	it('is let in when it is rightly signed, with other signatures beside', async () => {
		const headers = signed(body);
		headers['webhook-signature'] = `v1,AAAA v2,BBBB ${headers['webhook-signature']}`;
		expect((await n8n.post(body, headers)).status).toBe(200);
		expect(n8n.started).toHaveLength(1);
	});

	it.each([
		['has no signature', () => ({})],
		['has another secret', () => signed(body, { secret: 'whsec_AAAA' })],
		['was changed', () => signed(`${body} `)],
		['is six minutes old', () => signed(body, { at: Date.now() - 6 * minute })],
		['comes from six minutes ahead', () => signed(body, { at: Date.now() + 6 * minute })],
		['has no readable time', () => ({ ...signed(body), 'webhook-timestamp': 'now' })],
	])('gets a real 401 when it %s', async (_, headers) => {
		const answer = await n8n.post(body, headers() as Record<string, string>);
		expect(answer.status).toBe(401);
		expect(n8n.started).toEqual([]);
	});

	it.each(['{}', '[]', '{"events":[]}', '{"events":[{"id":1}]}', 'x'])(
		'gets a 400 when it is signed but holds %s',
		async (broken) => {
			expect((await n8n.post(broken, signed(broken))).status).toBe(400);
			expect(n8n.started).toEqual([]);
		},
	);
});

describe('[EVNT-04][T] the secret', () => {
	let reads: number;
	/** The credential as it is now; a user replaces the token in it. */
	let token: string;

	beforeEach(async () => {
		reads = 0;
		token = `${managementToken}-of-this-time`;
		const credential = {
			receiverUrl: 'http://localhost:1',
			get managementToken() {
				reads++;
				return token;
			},
		};
		n8n.open({ credentials: { registeredDeliveryReceiverApi: credential } });
		// Nobody listens there; what the last test left behind is forgotten nevertheless.
		await expect(n8n.hooks.create.call(n8n.contexts.registering())).rejects.toThrow();
		reads = 0;
	});
	afterEach(() => jest.restoreAllMocks());

	/** A request signed with the token. Nothing in it starts a workflow: 400 means that it was let in. */
	const knock = async (signedWith: string, at = Date.now()) => {
		const secret = subscriptionSecret(signedWith, key);
		return (await n8n.post('{}', signed('{}', { secret, at }))).status;
	};
	const LET_IN = 400;

	it('is read from the credential once a minute, not for each request', async () => {
		for (let count = 0; count < 5; count++) expect(await knock(token)).toBe(LET_IN);
		expect(reads).toBe(1);
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
		expect(await knock(token)).toBe(LET_IN);
		expect(reads).toBe(2);
	});

	it('that is new counts at once, the one it replaced for a minute at most', async () => {
		const old = token;
		expect(await knock(old)).toBe(LET_IN);
		token = `${managementToken}-replaced`;
		expect(await knock(old)).toBe(LET_IN);
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
		expect(await knock(old)).toBe(401);
		expect(await knock(token)).toBe(LET_IN);
		expect(await knock(old)).toBe(401);
	});

	it('that was replaced ends when the workflow is published anew', async () => {
		const old = token;
		expect(await knock(old)).toBe(LET_IN);
		token = `${managementToken}-replaced`;
		await expect(n8n.hooks.create.call(n8n.contexts.registering())).rejects.toThrow();
		expect(await knock(old)).toBe(401);
	});

	it('that is wrong is never remembered', async () => {
		for (let count = 0; count < 2; count++) expect(await knock('somebody else’s')).toBe(401);
		expect(await knock(token)).toBe(LET_IN);
		expect(await knock('somebody else’s')).toBe(401);
	});
});
