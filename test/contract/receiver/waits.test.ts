// What Await Outcome registers, and the outcomes its n8n's pulls deliver, on both stores. Time
// is moved by hand.
import type { BatchSettlement, WakeUp } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { LONGEST_WAIT_DAYS } from '../../../webhook-receiver/src/core/wait-contract.ts';
import type { Client } from './harness.ts';
import { ManualClock, cleanUp, consume, idOf, idsTo, start, until, waitFor } from './harness.ts';
import { holdCommits } from './held-commits.ts';
import { HTTP_STORES, freshDatabase } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const HOLD = 25 * SECOND;
const WAIT = 'wait-0000-0000-0001';
const A = idOf(1);

const stateOf = async ({ manage }: Pick<Client, 'manage'>, id = WAIT) =>
	(await manage('GET', `/waits/${id}`)).body;

/** Asks only for wake-ups, like the process of a sleeping execution. */
const pullOnly = ({ pulled }: Pick<Client, 'pulled'>, more: object = {}, key = 'n8n~process') =>
	pulled({ wants: null, ...more }, { key });

const reported = (
	{ id: batch }: WakeUp,
	outcome: BatchSettlement['outcome'],
	reason = 'as n8n said',
): BatchSettlement => ({ batch, outcome, reason });

const untilState = (receiver: Client, state: string, id = WAIT) =>
	until(async () => (await stateOf(receiver, id)).state === state, `the wait is ${state}`);

describe.each(HTTP_STORES)('waits, in $name', (kind) => {
	let clock: ManualClock;
	let options: { env: Record<string, string>; dependencies: object };

	beforeEach(async () => {
		clock = new ManualClock();
		options = { env: await kind.environment(), dependencies: { clock } };
	});

	const opened = (messageId: string) => ({
		event: 'aes_opened',
		messageId,
		timestamp: new Date(clock.now()).toISOString(),
	});
	const put = ({ manage }: Pick<Client, 'manage'>, ids: string[], more = {}, id = WAIT) =>
		manage('PUT', `/waits/${id}`, waitFor(clock, ids, more));

	it('a second n8n that is refused gets no wake-ups either', async () => {
		const receiver = await start(options);
		await receiver.emit(opened(A));
		await put(receiver, [A]);
		await untilState(receiver, 'queued');
		const key = 'n8n~flow';
		const held = receiver.pulled({ holder: 'holder-one', atOnce: 0 }, { key });
		const [one] = (await held).wakeUps;
		await receiver.pulled({ holder: 'holder-one', wakeUps: [reported(one, 'nak')] }, { key });
		clock.advance(5 * SECOND);
		expect((await receiver.pull({ holder: 'a-second-n8n' }, { key })).status).toBe(409);
		expect((await receiver.pulled({ holder: 'holder-one' }, { key })).wakeUps).toHaveLength(1);
	});

	it('let an open pull give a batch again when it is due, whatever has woken the pull before', async () => {
		const receiver = await start(options);
		await receiver.pulled();
		await receiver.emit(opened(A));
		const [{ id: batch }] = (await receiver.pulled()).batches;
		await put(receiver, [A]);
		await untilState(receiver, 'queued');
		const [wakeUp] = (await pullOnly(receiver)).wakeUps;
		const again = receiver.pulled({ settle: [{ batch, outcome: 'nak' }], openMs: HOLD });
		await receiver.atRest();
		await pullOnly(receiver, { wakeUps: [reported(wakeUp, 'ack')] });
		await receiver.atRest();
		clock.advance(2 * SECOND);
		expect((await again).batches).toMatchObject([{ id: batch, attempt: 2 }]);
	});

	it('come again when they are due, while others are due later', async () => {
		const receiver = await start(options);
		const ids = [A, '000000000002'];
		await receiver.emit(ids.map((id) => opened(id)));
		for (const id of ids) {
			await put(receiver, [id], {}, `${WAIT}-${id}`);
			await untilState(receiver, 'queued', `${WAIT}-${id}`);
		}
		const [other, one] = (await pullOnly(receiver)).wakeUps;
		clock.advance(2 * SECOND);
		const both = [other, one].map((wakeUp) => reported(wakeUp, 'inProgress'));
		// From now on it is known when these are due.
		await pullOnly(receiver, { wakeUps: both });
		const again = pullOnly(receiver, { wakeUps: [reported(one, 'nak')], openMs: HOLD });
		await receiver.atRest();
		clock.advance(2 * SECOND);
		expect((await again).wakeUps).toMatchObject([{ id: one.id }]);
	});

	it('come once, to as many of the pulls that are held as it takes', async () => {
		const receiver = await start(options);
		const ids = idsTo(120);
		await receiver.emit(ids.map((id) => opened(id)));
		await Promise.all(ids.map((id) => put(receiver, [id], {}, `${WAIT}-${id}`)));
		for (const id of ids) await untilState(receiver, 'queued', `${WAIT}-${id}`);
		const failed: BatchSettlement[] = [];
		while (failed.length < ids.length) {
			const { wakeUps } = await pullOnly(receiver);
			failed.push(...wakeUps.map((one) => reported(one, 'nak')));
		}
		await pullOnly(receiver, { wakeUps: failed });
		let answered = 0;
		const answers = [1, 2, 3, 4].map(async (n) => {
			const answer = await pullOnly(receiver, { openMs: HOLD }, `n8n~p${n}`);
			answered++;
			return answer;
		});
		await receiver.atRest();
		// All of them are due again at the same time.
		clock.advance(2 * SECOND);
		await until(() => answered === 3, 'three have them all');
		clock.advance(HOLD);
		const woken = (await Promise.all(answers)).map(({ wakeUps }) => wakeUps);
		expect(woken.map(({ length }) => length).sort()).toEqual([0, 20, 50, 50]);
		const told = woken.flat().map(({ resume }) => resume.waitId);
		expect(told.sort()).toEqual(ids.map((id) => `${WAIT}-${id}`));
	});

	it('come as far as their n8n has room beside what it has in hand', async () => {
		const receiver = await start(options);
		const ids = idsTo(60);
		await receiver.emit(ids.map((id) => opened(id)));
		await Promise.all(ids.map((id) => put(receiver, [id], {}, `${WAIT}-${id}`)));
		for (const id of ids) await untilState(receiver, 'queued', `${WAIT}-${id}`);
		const { wakeUps } = await pullOnly(receiver);
		expect(wakeUps).toHaveLength(50);
		const inHand = wakeUps.map((one) => reported(one, 'inProgress'));
		const full = pullOnly(receiver, { wakeUps: inHand, openMs: HOLD });
		await receiver.atRest();
		clock.advance(HOLD);
		expect((await full).wakeUps).toEqual([]);
		const [first, ...others] = wakeUps;
		const after = [reported(first, 'ack'), ...others.map((one) => reported(one, 'inProgress'))];
		expect((await pullOnly(receiver, { wakeUps: after })).wakeUps).toHaveLength(1);
	});

	it('miss no event that is stored in the moment the wait is', async () => {
		const receiver = await start(options);
		const ids = idsTo(40);
		await Promise.all(
			ids.flatMap((id) => [receiver.emit(opened(id)), put(receiver, [id], {}, `${WAIT}-${id}`)]),
		);
		for (const id of ids) await untilState(receiver, 'queued', `${WAIT}-${id}`);
		const { wakeUps } = await pullOnly(receiver);
		expect(wakeUps.map(({ resume }) => resume.outcomes[0].id).sort()).toEqual(ids);
	});

	it('know how many processes of their n8n pull', async () => {
		const receiver = await start(options);
		const pulling = async () => (await put(receiver, [A])).body.pulling;
		expect(await pulling()).toBe(0);
		const trigger = await consume(receiver, { key: 'n8n~flow', holder: 'process-one' });
		await consume(receiver, { key: 'n8n~other-flow', holder: 'process-one' });
		await consume(receiver, { key: 'n8n~any', holder: 'process-two', wants: null });
		await consume(receiver, { key: 'another~flow' });
		expect(await pulling()).toBe(2);
		await trigger.stop();
		expect(await pulling()).toBe(2);
		// Who let go does not count, though it pulled a moment ago.
		const another = { holder: 'process-three', wants: null };
		await receiver.pulled(another, { key: 'n8n~third' });
		expect(await pulling()).toBe(3);
		await receiver.pulled({ ...another, leaving: true }, { key: 'n8n~third' });
		expect(await pulling()).toBe(2);
	});
});

const tooLate = new Date(Date.now() + (LONGEST_WAIT_DAYS + 1) * 24 * HOUR).toISOString();
it.each([
	['anybody could end', 'secret', 'secret-of-few'],
	['takes more than a year', 'deadline', tooLate],
])('a wait is refused that %s', async (_, member, value) => {
	const receiver = await start();
	const body = waitFor({ now: Date.now }, [A], { [member]: value });
	const answer = await receiver.manage('PUT', `/waits/${WAIT}`, body);
	expect(answer).toMatchObject({ status: 422, body: { code: 'invalid-wait' } });
	expect(answer.body.message).toContain(member);
	expect(JSON.stringify(answer.body)).not.toMatch(/secret-of/);
	expect(await receiver.manage('GET', `/waits/${WAIT}`)).toMatchObject({ status: 404 });
});

describe('several receivers on one PostgreSQL', () => {
	it('tell each wait once, whoever has the event, and whoever is pulled', async () => {
		const env = { DATABASE_URL: await freshDatabase() };
		const all = await Promise.all([start({ env }), start({ env }), start({ env })]);
		const ids = idsTo(30);
		await Promise.all(
			ids.map((id, n) =>
				all[n % 3].manage('PUT', `/waits/${WAIT}-${id}`, waitFor({ now: Date.now }, [id])),
			),
		);
		const held = pullOnly(all[2], { openMs: HOLD });
		for (const { atRest } of all) await atRest();
		await Promise.all(
			ids.map((messageId, n) => all[(n + 1) % 3].emit({ event: 'aes_opened', messageId })),
		);
		const woken = (await held).wakeUps;
		for (let n = 0; woken.length < ids.length && n < 100; n++) {
			woken.push(...(await pullOnly(all[n % 3], { openMs: 100 })).wakeUps);
		}
		const told = woken.map(({ resume }) => resume.waitId).sort();
		expect(told).toEqual(ids.map((id) => `${WAIT}-${id}`));
	});

	it('leave nothing of a wait that is removed while its wake-up is being queued', async () => {
		const url = await freshDatabase();
		const receiver = await start({ env: { DATABASE_URL: url } });
		const hold = await holdCommits(url, '"state": "queued"');
		const isOver = waitFor({ now: Date.now }, [A], { deadline: new Date(0).toISOString() });
		expect((await receiver.manage('PUT', `/waits/${WAIT}`, isOver)).status).toBe(200);
		await until(async () => (await hold.waiting()) > 0, 'the wake-up is about to be committed');
		let isRemoved = false;
		const removed = receiver.manage('DELETE', `/waits/${WAIT}`).then(({ status }) => {
			isRemoved = true;
			return status;
		});
		const isHeldUp = async () => isRemoved || (await hold.waiting()) > 1;
		await until(isHeldUp, 'the wait is gone, or waits for the wake-up');
		await hold.release();
		expect(await removed).toBe(204);
		await receiver.atRest();
		expect(await receiver.batches()).toEqual([]);
		expect(await pullOnly(receiver)).toMatchObject({ wakeUps: [], waiting: false });
	});

	it('miss no event whose commit takes as long as it takes to register the wait', async () => {
		const url = await freshDatabase();
		const receiver = await start({ env: { DATABASE_URL: url } });
		const put = (id: string, more = {}) =>
			receiver.manage('PUT', `/waits/${id}`, waitFor({ now: Date.now }, [A], more));
		const hold = await holdCommits(url, 'held-on-its-way');
		const event = { event: 'aes_opened', messageId: A, note: 'held-on-its-way' };
		const emitted = receiver.emit(event);
		await until(async () => (await hold.waiting()) > 0, 'the event is about to be committed');
		let isRegistered = false;
		const registered = put(WAIT).then(({ status }) => (isRegistered = status === 200));
		const isHeldUp = async () => isRegistered || (await hold.waiting()) > 1;
		await until(isHeldUp, 'the wait is there, or waits for the event');
		if (isRegistered) {
			// It has been looked at when a later one has.
			await put(`${WAIT}-later`, { deadline: new Date(0).toISOString() });
			await untilState(receiver, 'queued', `${WAIT}-later`);
		}
		await hold.release();
		// On a busy machine the database may have been waited for in vain.
		if ((await emitted).status !== 200) expect((await receiver.emit(event)).status).toBe(200);
		if (!(await registered)) expect((await put(WAIT)).status).toBe(200);
		await untilState(receiver, 'queued');
	});
});
