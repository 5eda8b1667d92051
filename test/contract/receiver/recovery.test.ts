import { createHmac } from 'node:crypto';
import {
	ManualClock,
	SUBSCRIPTION_SECRET,
	cleanUp,
	settleDown,
	start,
	target,
	until,
} from './harness.ts';

afterEach(cleanUp);

const sent = (messageId: number) => ({ event: 'aes_sent', messageId });
const range = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, n) => sent(from + n));

it('while a target is down only a trial now and then reaches it; then everything does', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	let status = 503;
	const there = await target(() => status);
	await receiver.subscribe('flow', there.url);
	await receiver.emit(range(1, 60));
	await until(() => there.received.length >= 5, 'it is found to be down');
	await settleDown();
	// Five that failed, and what was under way beside them.
	const spent = there.received.length;
	expect(spent).toBeLessThanOrEqual(8);
	clock.advance(5_000);
	await until(() => there.received.length === spent + 1, 'one trial is made');
	await settleDown();
	expect(there.received).toHaveLength(spent + 1);
	status = 200;
	clock.advance(10_000);
	await until(() => there.received.length >= spent + 1 + 50, 'the others arrive');
	const untouched = (await receiver.deliveries()).filter((delivery) => delivery.attempts === 1);
	expect(untouched.length).toBeGreaterThan(45);
});

it('[EVNT-04][R] signs with the old secret as well for a day after it was replaced', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const there = await target();
	const next = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
	await receiver.subscribe('flow', there.url);
	await receiver.subscribe('flow', there.url, { secret: next });
	const shown = await receiver.manage('GET', '/subscriptions/flow');
	expect(JSON.stringify(shown.body)).not.toMatch(/whsec_|previous/);

	const expected = (index: number, secrets: string[]) => {
		const { headers, text } = there.received[index];
		const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
		const sign = (secret: string) =>
			createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
				.update(content)
				.digest('base64');
		expect(headers['webhook-signature']).toBe(secrets.map((s) => `v1,${sign(s)}`).join(' '));
	};
	await receiver.emit(sent(1));
	await until(() => there.received.length === 1, 'the first arrives');
	expected(0, [next, SUBSCRIPTION_SECRET]);
	// Registering the same again must not end the rotation.
	await receiver.subscribe('flow', there.url, { secret: next });
	await receiver.emit(sent(2));
	await until(() => there.received.length === 2, 'the second arrives');
	expected(1, [next, SUBSCRIPTION_SECRET]);
	clock.advance(24 * 3_600_000);
	await receiver.emit(sent(3));
	await until(() => there.received.length === 3, 'the third arrives');
	expected(2, [next]);
});

describe('dead deliveries come back', () => {
	async function withDead() {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock }, env: { RETRY_DELAYS: '1s' } });
		let status = 400;
		const there = await target(() => status);
		await receiver.subscribe('one', there.url, { events: ['tracked_mail.sent'] });
		await receiver.subscribe('other', there.url, { events: ['tracked_mail.opened'] });
		await receiver.emit(range(1, 3));
		const dead = async (count: number) =>
			until(async () => {
				clock.advance(60_000);
				return (await receiver.deliveries('dead')).length === count;
			}, `${count} are dead`);
		await dead(3);
		const between = new Date(clock.now()).toISOString();
		clock.advance(1_000);
		await receiver.emit([sent(4), { event: 'aes_opened', messageId: 4 }]);
		await dead(5);
		status = 200;
		clock.advance(60_000);
		const retry = (query: string) => receiver.manage('POST', `/deliveries/retry?${query}`);
		const delivered = async (count: number) =>
			until(async () => {
				clock.advance(60_000);
				return (await receiver.deliveries('delivered')).length === count;
			}, `${count} are delivered`);
		return { receiver, retry, delivered, between };
	}

	it('all of them', async () => {
		const { retry, delivered } = await withDead();
		expect(await retry('state=dead')).toMatchObject({ status: 202, body: { retried: 5 } });
		await delivered(5);
	});

	it('a span of time, and one subscription', async () => {
		const { retry, delivered, between } = await withDead();
		expect((await retry(`state=dead&before=${between}`)).body).toEqual({ retried: 3 });
		await delivered(3);
		expect((await retry(`state=dead&subscription=other&from=${between}`)).body).toEqual({
			retried: 1,
		});
		await delivered(4);
	});

	it('not those whose subscription has ended; and only on a clear word', async () => {
		const { receiver, retry } = await withDead();
		await receiver.manage('DELETE', '/subscriptions/one');
		expect((await retry('state=dead')).body).toEqual({ retried: 1 });
		for (const query of ['', 'state=pending', 'state=dead&from=yesterday']) {
			expect((await retry(query)).status).toBe(400);
		}
	});
});
