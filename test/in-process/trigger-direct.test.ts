// The direct trigger: the service's own requests reach the trigger, with no receiver between.

import { eventSchema } from '../../webhook-receiver/src/core/event-contract.ts';
import {
	event,
	messageId,
	n8n,
	open,
	send,
	test,
	useDirectTrigger,
} from './trigger-direct-harness.ts';

useDirectTrigger();

const started = () => n8n.started.flat();

describe('events', () => {
	it('[STAT-03][TYPE-06][EVNT-01][T] direct: an event starts the workflow, in either spelling', async () => {
		for (const messageType of ['AES', 'MT']) {
			const sourceType = `${messageType.toLowerCase()}_opened`;
			const payload = event(sourceType, { messageId: messageId(messageType.length) });
			expect((await send(payload)).status).toBe(200);
			const [item] = n8n.started.at(-1) ?? [];
			expect(eventSchema.parse(item)).toEqual({
				id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
				type: 'tracked_mail.opened',
				sourceType,
				messageType,
				messageId: payload.messageId,
				status: 'OPENED',
				terminal: true,
				reversible: false,
				occurredAt: '2026-01-31T09:30:00.000Z',
				receivedAt: expect.any(String),
				sequence: expect.any(Number),
				fileReference: null,
				customerReference: null,
				raw: payload,
			});
		}
		expect(n8n.started).toHaveLength(2);
	});

	it('[EVNT-01][T] direct: what was not asked for gets 200 and starts nothing', async () => {
		open({ events: ['tracked_mail.opened'] });
		for (const name of ['aes_sent', 'lre_failed', 'aes_teleported']) {
			const answer = await send(event(name));
			expect(answer.status).toBe(200);
			expect(await answer.json()).toEqual({ accepted: 0, duplicates: 0 });
		}
		await send(event('mt_opened'));
		expect(started()).toMatchObject([{ type: 'tracked_mail.opened' }]);
	});

	it('[EVNT-02][T] direct: an unknown name comes with Any Event', async () => {
		await send(event('aes_teleported'));
		await send('"nothing we know"');
		expect(started()).toMatchObject([
			{ type: 'unknown', sourceType: 'aes_teleported', messageId: messageId() },
			{ type: 'unknown', sourceType: null, messageId: null, raw: 'nothing we know' },
		]);
	});
	it('several in one request start one execution, one item each', async () => {
		const three = [1, 2, 3].map((number) => event('aes_sent', { id: `${test}-${number}` }));
		await send({ events: three });
		await send([...three, event('aes_opened')]);
		expect(n8n.started.map(({ length }) => length)).toEqual([3, 1]);
	});

	it('up to 1,000 in one request are one execution; more get 413, and are new when they come in parts', async () => {
		const all = Array.from({ length: 1_001 }, (_, number) =>
			event('aes_sent', { id: `${test}-${number}`, messageId: messageId(number) }),
		);
		const refused = await send({ events: all });
		expect([refused.status, await refused.json()]).toEqual([
			413,
			{ message: 'The request has more than 1000 events, the most that are taken at once.' },
		]);
		expect(n8n.started).toEqual([]);
		for (const part of [all.slice(0, 1_000), all.slice(1_000)]) {
			const answer = await send({ events: part });
			expect(await answer.json()).toEqual({ accepted: part.length, duplicates: 0 });
		}
		const again = await send({ events: all.slice(0, 1_000) });
		expect(await again.json()).toEqual({ accepted: 0, duplicates: 1_000 });
		expect(n8n.started.map(({ length }) => length)).toEqual([1_000, 1]);
	});

	it('[EVNT-03][T] direct: come as a form, too', async () => {
		const body = `event=aes_opened&messageId=${messageId()}`;
		await send(body, { 'content-type': 'application/x-www-form-urlencoded' });
		expect(started()).toMatchObject([{ status: 'OPENED', messageId: messageId() }]);
	});
});

describe('the same event', () => {
	it('[EVNT-05][T] starts the workflow once, however many come at once', async () => {
		const answers = await Promise.all(Array.from({ length: 100 }, () => send(event('aes_opened'))));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
		expect(n8n.started).toHaveLength(1);
	});

	it('starts the workflow after all when n8n could not start it at first', async () => {
		n8n.failures = 1;
		expect((await send(event('aes_opened'))).status).toBe(500);
		expect((await send(event('aes_opened'))).status).toBe(200);
		expect(n8n.started).toHaveLength(1);
	});
});
