import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import {
	INGEST_SECRET,
	ManualClock,
	SUBSCRIPTION_SECRET,
	TOKEN,
	cleanUp,
	settleDown,
	start,
	target,
	until,
} from './harness.ts';

afterEach(cleanUp);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const aes = (state: string, messageId = 1, more = {}) => ({
	event: `aes_${state}`,
	messageId,
	...more,
});

it('[EVNT-04][R] signs what it passes on, and again the same on every attempt', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const there = await target((_, index) => (index === 0 ? 500 : 200));
	await receiver.subscribe('flow', there.url);
	await receiver.emit(aes('sent'));
	await until(() => there.received.length === 1, 'the event arrives');
	await until(async () => (await receiver.deliveries())[0].attempts === 1, 'that is stored');
	clock.advance(5_000);
	await until(() => there.received.length === 2, 'it arrives again');
	const [first, second] = there.received;
	for (const { headers, text, events } of [first, second]) {
		expect(headers['webhook-id']).toBe(events[0].id);
		const key = Buffer.from(SUBSCRIPTION_SECRET.slice('whsec_'.length), 'base64');
		const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
		const signature = createHmac('sha256', key).update(content).digest('base64');
		expect(headers['webhook-signature']).toBe(`v1,${signature}`);
	}
	expect(second.text).toBe(first.text);
	expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
	expect(Number(second.headers['webhook-timestamp'])).toBe(
		Number(first.headers['webhook-timestamp']) + 5,
	);
});

it('[EVNT-01][EVNT-02][R] each event starts whoever asked for it, and nobody else', async () => {
	const receiver = await start();
	const [opened, letters, any, nobody] = await Promise.all([
		target(),
		target(),
		target(),
		target(),
	]);
	await receiver.subscribe('opened', opened.url, { events: ['tracked_mail.opened'] });
	await receiver.subscribe('letters', letters.url, { events: ['lre.failed'] });
	await receiver.subscribe('any', any.url);
	await receiver.subscribe('nobody', nobody.url, { filter: { fileReference: 'F9' } });
	await receiver.emit([aes('opened'), { event: 'mt_opened', messageId: 2 }]);
	await receiver.emit([{ event: 'lre_failed', messageId: 3 }, { event: 'brand_new' }]);
	await until(() => any.events().length === 4, 'all events arrive');
	await until(() => opened.events().length === 2, 'opened events arrive');
	await until(() => letters.events().length === 1, 'the letter event arrives');
	await settleDown();
	expect(any.types().sort()).toEqual([
		'lre.failed',
		'tracked_mail.opened',
		'tracked_mail.opened',
		'unknown',
	]);
	expect(opened.types()).toEqual(['tracked_mail.opened', 'tracked_mail.opened']);
	expect(nobody.received).toEqual([]);
});

it('[STAT-05][R] brings the events of one message in order, whatever fails', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	// Every second request fails; other messages go their way.
	const there = await target((_, index) => (index % 2 === 0 ? 503 : 200));
	await receiver.subscribe('flow', there.url);
	const states = ['sent', 'received', 'undelivered', 'received', 'opened'];
	for (const state of states) await receiver.emit([aes(state, 1), aes(state, 2)]);
	const done = async () => (await receiver.deliveries('delivered')).length === 10;
	await until(async () => {
		clock.advance(MINUTE);
		await new Promise((resolve) => setTimeout(resolve, 5));
		return done();
	}, 'all are delivered');
	for (const message of ['000000000001', '000000000002']) {
		const firstArrivals = new Map(there.events().map((event) => [event.id, event] as const));
		const order = [...firstArrivals.values()]
			.filter((event) => event.messageId === message)
			.map((event) => event.sequence);
		expect(order).toHaveLength(5);
		expect(order).toEqual([...order].sort((a, b) => a - b));
		const all = there.events().filter((event) => event.messageId === message);
		const sequences = all.map((event) => event.sequence);
		expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
	}
});

it('retries by the table, then keeps the delivery as dead, to be retried by hand', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	let status = 404;
	const there = await target(() => status);
	await receiver.subscribe('flow', there.url);
	await receiver.emit(aes('sent'));
	const attempts = async (count: number) => {
		await until(() => there.received.length === count, `attempt ${count} is made`);
		await until(
			async () => (await receiver.deliveries())[0].attempts === count,
			`attempt ${count} is stored`,
		);
	};
	await attempts(1);
	const pauses = [5_000, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((h) => h * HOUR)];
	for (const [index, pause] of pauses.entries()) {
		clock.advance(pause - 1);
		await settleDownShortly();
		expect(there.received).toHaveLength(index + 1);
		clock.advance(1);
		await attempts(index + 2);
	}
	const [dead] = await receiver.deliveries('dead');
	expect(dead).toMatchObject({
		state: 'dead',
		attempts: 10,
		lastResult: '404',
		nextAttemptAt: null,
	});
	clock.advance(100 * HOUR);
	await settleDownShortly();
	expect(there.received).toHaveLength(10);

	status = 200;
	expect((await receiver.manage('POST', `/deliveries/${dead.id}/retry`)).status).toBe(202);
	await until(async () => (await receiver.deliveries('delivered')).length === 1, 'it is delivered');
	expect(there.events().at(-1)?.id).toBe(there.events()[0].id);
});

it('honours Retry-After', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const wait = { status: 429, headers: { 'retry-after': '90' } };
	const there = await target((_, index) => (index === 0 ? wait : 200));
	await receiver.subscribe('flow', there.url);
	await receiver.emit(aes('sent'));
	await until(async () => (await receiver.deliveries())[0].attempts === 1, 'it was tried');
	clock.advance(89_999);
	await settleDownShortly();
	expect(there.received).toHaveLength(1);
	clock.advance(1);
	await until(() => there.received.length === 2, 'it is tried again');
});

it('410 ends the subscription; what waits for it is kept as dead', async () => {
	const receiver = await start();
	const there = await target(() => 410);
	await receiver.subscribe('flow', there.url);
	await receiver.emit([aes('sent'), aes('received')]);
	const gone = async () => (await receiver.manage('GET', '/subscriptions/flow')).status === 404;
	await until(gone, 'the subscription is gone');
	expect(await receiver.deliveries('dead')).toHaveLength(2);
	expect(there.received).toHaveLength(1);
	await receiver.emit(aes('opened'));
	expect(await receiver.deliveries()).toHaveLength(2);
});

it('follows no redirect', async () => {
	const receiver = await start();
	const elsewhere = await target();
	const there = await target(() => ({ status: 307, headers: { location: elsewhere.url } }));
	await receiver.subscribe('flow', there.url);
	await receiver.emit(aes('sent'));
	await until(async () => (await receiver.deliveries())[0].lastResult === '307', 'it was tried');
	await settleDown();
	expect(elsewhere.received).toEqual([]);
	expect((await receiver.deliveries('pending'))[0].attempts).toBe(1);
});

it('a target that hangs, and one that is not there, hold up nobody else', async () => {
	const receiver = await start();
	const hanging = await target(() => 'hang');
	const healthy = await target();
	await receiver.subscribe('a-hanging', hanging.url);
	await receiver.subscribe('b-absent', 'http://127.0.0.1:9/');
	await receiver.subscribe('c-healthy', healthy.url);
	const started = Date.now();
	for (let message = 1; message <= 50; message++) await receiver.emit(aes('sent', message));
	await until(() => healthy.events().length === 50, 'the healthy one has all');
	// The hanging one answers nobody for 15 s, the time a target has.
	expect(Date.now() - started).toBeLessThan(14_000);
	// Never more at once than the configured four.
	expect(hanging.received).toHaveLength(4);
}, 90_000);

it('batches up to batchSize, in order, under an id of their own', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	let status = 503;
	const there = await target(() => status);
	await receiver.subscribe('flow', there.url, { batchSize: 4 });
	await receiver.emit([1, 2, 3, 4, 5].flatMap((id) => [aes('sent', id), aes('opened', id)]));
	await until(
		async () => (await receiver.deliveries()).every((delivery) => delivery.attempts === 1),
		'all were tried',
	);
	status = 200;
	there.received.length = 0;
	clock.advance(5_000);
	await until(() => there.events().length === 10, 'all arrive');
	const sizes = there.received.map((request) => request.events.length);
	expect(Math.max(...sizes)).toBe(4);
	for (const { headers, events } of there.received) {
		const expected = events.length > 1 ? /^batch_[0-9a-f]{32}$/ : /^evt_/;
		expect(headers['webhook-id']).toMatch(expected);
	}
	for (const id of [1, 2, 3, 4, 5]) {
		const own = there.events().filter((event) => Number(event.messageId) === id);
		expect(own.map((event) => event.status)).toEqual(['SENT', 'OPENED']);
	}
});

it('replays one event to whoever wants it now', async () => {
	const receiver = await start();
	await receiver.emit(aes('sent'));
	const there = await target();
	await receiver.subscribe('late', there.url);
	const events = (await receiver.manage('GET', '/events')).body.data as Array<{ id: string }>;
	const answer = await receiver.manage('POST', `/events/${events[0].id}/replay`);
	expect(answer).toMatchObject({ status: 202, body: { deliveries: 1 } });
	await until(() => there.events().length === 1, 'it arrives');
	expect(there.events()[0].id).toBe(events[0].id);
	expect((await receiver.manage('POST', '/events/evt_none/replay')).status).toBe(404);
	expect((await receiver.manage('POST', '/deliveries/999/retry')).status).toBe(404);
});

it('pages through what it has', async () => {
	const receiver = await start();
	await receiver.emit([1, 2, 3, 4, 5].map((id) => aes('sent', id)));
	const sequences: number[] = [];
	let query = '?limit=2';
	for (;;) {
		const { body } = await receiver.manage('GET', `/events${query}`);
		sequences.push(...(body.data as Array<{ sequence: number }>).map((event) => event.sequence));
		if (body.next === null) break;
		query = `?limit=2&before=${body.next as number}`;
	}
	expect(sequences).toEqual([5, 4, 3, 2, 1]);
	for (const query of ['?limit=0', '?limit=x', '?before=-1']) {
		expect((await receiver.manage('GET', `/events${query}`)).status).toBe(400);
	}
	expect((await receiver.manage('GET', '/deliveries?state=lost')).status).toBe(400);
});

it('logs one line per request and per attempt, and never a secret', async () => {
	const lines: string[] = [];
	const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
	const receiver = await start({ dependencies: { logger } });
	const there = await target();
	await receiver.subscribe('flow', `${there.url}?token=query-secret`);
	await receiver.emit(aes('sent'));
	await receiver.manage('GET', '/events?token=query-secret', undefined, 'wrong-token');
	await until(() => there.received.length === 1, 'it arrives');
	await receiver.close();
	const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
	expect(entries.filter((entry) => entry.msg === 'request')).toHaveLength(3);
	expect(entries.filter((entry) => entry.msg === 'delivery attempt')).toMatchObject([
		{ subscription: 'flow', target: there.url, result: '200', attempt: 1 },
	]);
	const secrets = [TOKEN, INGEST_SECRET, SUBSCRIPTION_SECRET, 'query-secret', 'wrong-token'];
	for (const secret of secrets) expect(lines.join()).not.toContain(secret);
});

function settleDownShortly(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 20));
}
