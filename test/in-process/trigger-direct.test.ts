// The direct trigger: the service's own requests reach the trigger, with no receiver between.
import { createHmac } from 'node:crypto';

import { eventSchema } from '../../webhook-receiver/src/core/event-contract.ts';
import {
	event,
	executions,
	HMAC,
	messageId,
	open,
	post,
	secret,
	send,
	signed,
	useDirectTrigger,
} from './direct-trigger.ts';

useDirectTrigger();

const started = () => executions.flat();

describe('events', () => {
	it('[STAT-03][TYPE-06][EVNT-01][T] direct: an event starts the workflow, in either spelling', async () => {
		for (const messageType of ['AES', 'MT']) {
			const sourceType = `${messageType.toLowerCase()}_opened`;
			const payload = event(sourceType, { messageId: messageId(messageType.length) });
			expect((await send(payload)).status).toBe(200);
			const [item] = executions.at(-1) ?? [];
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
		expect(executions).toHaveLength(2);
	});

	it('[EVNT-01][T] direct: what was not asked for gets 200 and starts nothing', async () => {
		open({ events: ['tracked_mail.opened'] });
		for (const name of ['aes_sent', 'lre_failed', 'aes_teleported']) {
			const answer = await send(event(name));
			expect(answer.status).toBe(200);
			expect(await answer.json()).toEqual({ accepted: 0 });
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
		const three = [1, 2, 3].map((number) => event('aes_sent', { id: `e${number}` }));
		await send({ events: three });
		await send([...three, event('aes_opened')]);
		expect(executions.map(({ length }) => length)).toEqual([3, 4]);
		const sequences = started().map(({ sequence }) => Number(sequence));
		expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
	});

	it('up to 1,000 in one request are one execution; more get 413, and come in parts', async () => {
		const all = Array.from({ length: 1_001 }, (_, number) =>
			event('aes_sent', { id: `e${number}`, messageId: messageId(number) }),
		);
		const refused = await send({ events: all });
		expect([refused.status, await refused.json()]).toEqual([
			413,
			{ message: 'The request has more than 1000 events, the most that are taken at once.' },
		]);
		expect(executions).toEqual([]);
		for (const part of [all.slice(0, 1_000), all.slice(1_000)]) {
			const answer = await send({ events: part });
			expect(await answer.json()).toEqual({ accepted: part.length });
		}
		expect(executions.map(({ length }) => length)).toEqual([1_000, 1]);
	});

	it('[EVNT-03][T] direct: come as a form, too', async () => {
		const body = `event=aes_opened&messageId=${messageId()}`;
		await send(body, { 'content-type': 'application/x-www-form-urlencoded' });
		expect(started()).toMatchObject([{ status: 'OPENED', messageId: messageId() }]);
	});
});

describe('the id of an event', () => {
	const first = event('aes_opened');
	const bare = { event: 'aes_received', messageId: messageId() };
	const bounced = { ...bare, timestamp: '2026-01-30T09:30:00.000Z' };
	const idOf = async (payload: object) => {
		await send(payload);
		return executions.at(-1)?.[0].id;
	};

	// What makes two events one: unit/receiver/mark.test.ts.
	it.each<[string, object, object]>([
		['in the other spelling', first, { ...first, event: 'mt_opened' }],
		['with neither id nor time', bare, bare],
	])('[EVNT-05][T] direct: is the same a day later for a repetition %s', async (_, one, again) => {
		const id = await idOf(one);
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_000);
		const repeated = await idOf(again);
		jest.restoreAllMocks();
		expect(repeated).toBe(id);
		expect(executions).toHaveLength(2);
	});

	it.each<[string, object, object]>([
		['[EVNT-05] another event', first, { ...first, event: 'aes_sent' }],
		['[EVNT-05] another letter', first, { ...first, messageId: messageId(1) }],
		[
			'[STAT-05] a delivery after a bounce',
			bounced,
			{ ...bounced, timestamp: '2026-01-31T09:30:00.000Z' },
		],
	])('%s [T] direct: has another id', async (_, one, other) => {
		expect(await idOf(other)).not.toBe(await idOf(one));
		expect(executions).toHaveLength(2);
	});

	it('[EVNT-05][T] direct: is there simplified, too', async () => {
		const id = await idOf(first);
		open({ simplify: true });
		expect(await idOf(first)).toBe(id);
	});

	it('[EVNT-05][T] direct: an event twice in one request is two items with one id', async () => {
		await send([first, first]);
		const [[one, other]] = executions;
		expect(other.id).toBe(one.id);
		expect(Number(other.sequence)).toBeGreaterThan(Number(one.sequence));
	});
});

describe('[EVNT-04][T] authentication', () => {
	const body = () => JSON.stringify(event('aes_opened'));

	it.each([
		['has no signature', () => ({})],
		['is 301 s old', () => signed(body(), { at: Date.now() - 301_500 })],
	])('a request that %s gets a real 401', async (_, headers) => {
		const answer = await post(body(), headers());
		expect(answer.status).toBe(401);
		expect(executions).toEqual([]);
	});

	const whsec = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
	const standard = (text: string) => {
		const timestamp = String(Math.floor(Date.now() / 1000));
		const digest = createHmac('sha256', Buffer.alloc(32, 7)).update(`msg.${timestamp}.${text}`);
		return {
			'webhook-id': 'msg',
			'webhook-timestamp': timestamp,
			'webhook-signature': `v1,${digest.digest('base64')}`,
		};
	};
	const base64 = (text: string) => createHmac('sha256', secret).update(text).digest('base64');
	const basic = (user: string) => ({
		authorization: `Basic ${Buffer.from(user).toString('base64')}`,
	});
	const schemes: Array<[string, object, (text: string) => object, object]> = [
		[
			'shared secret',
			{ scheme: 'sharedSecret', secrets: secret, otherSecret: '', headerName: 'X-My-Secret' },
			() => ({ 'x-my-secret': secret }),
			{ 'x-my-secret': `${secret}x` },
		],
		[
			'Basic',
			{ scheme: 'basic', secrets: 'one:password-1', otherSecret: 'two:password-2' },
			() => basic('two:password-2'),
			basic('two:password-1'),
		],
		[
			'Standard Webhooks',
			{ scheme: 'standardWebhooks', secrets: whsec },
			standard,
			{ ...standard('other'), 'webhook-id': 'other' },
		],
		[
			'HMAC of its own kind',
			{ ...HMAC, signatureHeader: 'x-hub-signature-256', template: '{body}' },
			(text) => ({ 'x-hub-signature-256': base64(text) }),
			{ 'x-hub-signature-256': base64('other') },
		],
	];
	it.each(schemes)('%s lets in who knows the secret and nobody else', async (_, ...scheme) => {
		const [credential, right, wrong] = scheme;
		open({}, { credential });
		expect((await post(body(), wrong)).status).toBe(401);
		expect((await post(body(), {})).status).toBe(401);
		expect(executions).toEqual([]);
		expect((await post(body(), right(body()))).status).toBe(200);
		expect(executions).toHaveLength(1);
	});

	it('a header that is not signed makes no other event of a signed body', async () => {
		const text = JSON.stringify({ messageId: messageId(), timestamp: 1769851800 });
		const headers = [{}, { 'x-event': 'lre_failed' }, { 'webhook-id': 'w2' }];
		for (const more of headers) {
			await post(text, { ...signed(text), ...more });
		}
		expect(started()).toHaveLength(headers.length);
		for (const item of started()) {
			expect(item).toMatchObject({ type: 'unknown', sourceType: null, id: started()[0].id });
		}
	});

	it.each([
		['no secret', { secrets: ' ', otherSecret: '' }],
		['half of one with a comma', { secrets: `kq7x9f2m,${secret}`, otherSecret: '' }],
		['no scheme', { scheme: undefined }],
		['a scheme nobody knows', { scheme: 'toString' }],
		['a template without a body', { template: '{timestamp}' }],
	])('a credential with %s lets nobody in', async (_, change) => {
		open({}, { credential: { ...HMAC, ...change } });
		const key = '';
		expect((await post(body(), signed(body(), { key }))).status).toBe(401);
		expect((await send(body())).status).toBe(401);
		expect(executions).toEqual([]);
	});
});
