// The receiver's requests by hand, so that they can be repeated as a receiver repeats them.
import { createHmac } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';

import { subscriptionSecret } from '../../nodes/RegisteredDeliveryTrigger/subscriptionSecret.ts';
import type { DeliveryEvent } from '../../webhook-receiver/src/contract.ts';
import { N8nLike, REGISTRATION } from './trigger-harness.ts';

const managementToken = 'management-token-of-the-test';
const MINUTE = 60_000;

let n8n: N8nLike;
/** Ids differ from test to test, since the memory of this process stays. */
let test = 0;

beforeAll(async () => {
	n8n = await N8nLike.start();
});
afterAll(() => n8n.close());
beforeEach(() => {
	test++;
	n8n.started.length = 0;
	open();
});

function open(parameters: INodeParameters = {}, isTest = false) {
	const credential = { receiverUrl: 'http://localhost:1', managementToken };
	return n8n.open({
		parameters,
		isTest,
		credentials: { registeredDeliveryReceiverApi: credential },
	});
}

const idOf = (number: number) => `evt_${test}_${number}`;

const event = (number: number): DeliveryEvent => ({
	id: idOf(number),
	type: 'tracked_mail.opened',
	sourceType: 'aes_opened',
	messageId: '000000000123',
	messageType: 'AES',
	status: 'OPENED',
	terminal: true,
	reversible: false,
	occurredAt: '2026-01-31T09:30:00.000Z',
	receivedAt: '2026-01-31T09:30:01.120Z',
	fileReference: 'INV-1',
	customerReference: null,
	sequence: number,
	raw: { event: 'aes_opened' },
});

/** One request of the receiver, signed as it signs. */
async function deliver(numbers: number[], { at = Date.now(), key = REGISTRATION } = {}) {
	const body = JSON.stringify({ events: numbers.map(event) });
	const timestamp = String(Math.floor(at / 1000));
	const secret = subscriptionSecret(managementToken, key).replace('whsec_', '');
	const signature = createHmac('sha256', Buffer.from(secret, 'base64'))
		.update(`id.${timestamp}.${body}`)
		.digest('base64');
	return await n8n.post(body, {
		'webhook-id': 'id',
		'webhook-timestamp': timestamp,
		'webhook-signature': `v1,${signature}`,
	});
}

const startedIds = () => n8n.started.map((items) => items.map(({ id }) => id));

describe('a redelivered event', () => {
	it('gets 200 and starts nothing', async () => {
		expect(await (await deliver([1])).json()).toEqual({ accepted: 1, duplicates: 0 });
		const again = await deliver([1]);
		expect(again.status).toBe(200);
		expect(await again.json()).toEqual({ accepted: 0, duplicates: 1 });
		expect(startedIds()).toEqual([[idOf(1)]]);
	});

	it('starts one execution, however many come at once', async () => {
		await Promise.all(Array.from({ length: 50 }, () => deliver([1])));
		expect(startedIds()).toEqual([[idOf(1)]]);
	});

	it('is left out of a batch, which starts with what is new', async () => {
		await deliver([1, 2]);
		await deliver([2, 3, 1, 4]);
		await deliver([3, 4]);
		expect(startedIds()).toEqual([
			[idOf(1), idOf(2)],
			[idOf(3), idOf(4)],
		]);
	});

	it('is told within one batch, too', async () => {
		await deliver([1, 1, 2]);
		expect(startedIds()).toEqual([[idOf(1), idOf(2)]]);
	});

	it('starts nothing after a restart, and new events do', async () => {
		await deliver([1]);
		await deliver([2, 3]);
		n8n.restart();
		await deliver([1]);
		await deliver([3, 2]);
		await deliver([4]);
		expect(startedIds()).toEqual([[idOf(1)], [idOf(2), idOf(3)], [idOf(4)]]);
	});

	it('is known after a restart as long as it is among the last 500', async () => {
		const numbers = Array.from({ length: 501 }, (_, index) => index);
		await deliver(numbers.slice(0, 1));
		await deliver(numbers.slice(1));
		n8n.restart();
		await deliver(numbers.slice(1));
		expect(n8n.started).toHaveLength(2);
		await deliver([0]);
		expect(n8n.started).toHaveLength(3);
	});

	it('starts the workflow after all when n8n could not start it at first', async () => {
		n8n.failures = 1;
		expect((await deliver([1])).status).toBe(500);
		expect(n8n.started).toEqual([]);
		expect((await deliver([1])).status).toBe(200);
		await deliver([1]);
		expect(startedIds()).toEqual([[idOf(1)]]);
	});

	it('is not remembered from a request that was refused', async () => {
		expect((await deliver([1], { at: Date.now() - 6 * MINUTE })).status).toBe(401);
		expect((await deliver([1])).status).toBe(200);
		expect(startedIds()).toEqual([[idOf(1)]]);
	});

	it('in a test run counts for that run only', async () => {
		const key = REGISTRATION.replace('production', 'test');
		const listen = async () => {
			const { registering } = open({}, true);
			// Nobody answers at the receiver; the memory is cleared before it is asked.
			await expect(n8n.hooks.checkExists.call(registering())).rejects.toThrow('cannot be reached');
		};
		await deliver([1]);
		await listen();
		await deliver([1], { key });
		await deliver([1], { key });
		await listen();
		await deliver([1], { key });
		expect(n8n.started).toHaveLength(3);
	});
});

describe('an item', () => {
	it('is the whole event of the contract', async () => {
		await deliver([1]);
		expect(n8n.started).toEqual([[event(1)]]);
	});

	it('is without payload and bookkeeping when simplified', async () => {
		open({ simplify: true });
		await deliver([1]);
		const { type, sourceType, messageId, messageType, status } = event(1);
		const { terminal, reversible, occurredAt, fileReference, customerReference } = event(1);
		const about = { type, sourceType, messageId, messageType, status, occurredAt };
		const more = { terminal, reversible, fileReference, customerReference };
		expect(n8n.started).toEqual([[{ ...about, ...more }]]);
	});
});
