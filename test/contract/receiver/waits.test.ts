// What Await Outcome registers, and the outcomes its n8n's pulls deliver, on both stores. Time
// is moved by hand.
import type { BatchSettlement, WakeUp } from '../../../webhook-receiver/src/core/pull-contract.ts';
import {
	LONGEST_WAIT_DAYS,
	registeredWaitSchema,
	waitViewSchema,
} from '../../../webhook-receiver/src/core/wait-contract.ts';
import { pino } from 'pino';
import type { BatchRecord } from '../../../webhook-receiver/src/pull/batch-rows.ts';
import type { Client } from './harness.ts';
import {
	ManualClock,
	allAtRest,
	cleanUp,
	consume,
	start,
	temporaryFolder,
	until,
} from './harness.ts';
import { HTTP_STORES, freshDatabase } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const HOLD = 25 * SECOND;
const WAIT = 'wait-0000-0000-0001';
const SECRET = 'secret-of-this-wait-and-no-other-one';
const RESUME_URL = 'http://127.0.0.1:9/webhook-waiting/7?signature=token-of-n8n';
const [A, B] = ['000000000001', '000000000002'];

function wait(clock: { now(): number }, messageIds: string[], more: object = {}) {
	return {
		...{ instance: 'n8n', resumeUrl: RESUME_URL, secret: SECRET },
		messages: messageIds.map((messageId) => ({ messageId, messageType: 'AES' })),
		deadline: new Date(clock.now() + HOUR).toISOString(),
		...more,
	};
}

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
	let options: { folder: string; env: Record<string, string>; dependencies: object };

	beforeEach(async () => {
		clock = new ManualClock();
		const env = await kind.environment();
		options = { folder: temporaryFolder(), env, dependencies: { clock } };
	});

	const event = (state: string, messageId: string, more: object = {}) => ({
		event: `aes_${state}`,
		messageId,
		timestamp: new Date(clock.now()).toISOString(),
		...more,
	});
	const put = ({ manage }: Pick<Client, 'manage'>, ids: string[], more = {}, id = WAIT) =>
		manage('PUT', `/waits/${id}`, wait(clock, ids, more));

	it('come home with all outcomes at once, when the last one is final, and only once', async () => {
		const receiver = await start(options);
		const held = pullOnly(receiver, { holdMs: HOLD });
		await receiver.atRest();
		const answer = await put(receiver, [A, B]);
		expect(registeredWaitSchema.strict().parse(answer.body)).toMatchObject({
			...{ state: 'open', watching: false, pulling: 1 },
			target: 'http://127.0.0.1:9/webhook-waiting/7',
		});
		expect(JSON.stringify(answer.body)).not.toMatch(/secret-of|token-of-n8n/);

		await receiver.emit([event('sent', A), event('opened', A), event('received', B)]);
		await receiver.atRest();
		expect(await stateOf(receiver)).toMatchObject({
			state: 'open',
			outcomes: [
				{ id: A, outcome: 'opened' },
				{ id: B, outcome: 'none', status: 'RECEIVED' },
			],
		});
		clock.advance(SECOND);
		await receiver.emit(event('opened', B));
		const { wakeUps, waiting } = await held;
		expect(waiting).toBe(1);
		expect(wakeUps).toEqual([
			{
				...{ id: expect.any(String), resumeUrl: RESUME_URL, secret: SECRET },
				resume: {
					...{ waitId: WAIT, reason: 'complete' },
					outcomes: [
						expect.objectContaining({ id: A, outcome: 'opened', status: 'OPENED' }),
						expect.objectContaining({
							...{ id: B, outcome: 'opened', event: 'tracked_mail.opened' },
							occurredAt: new Date(clock.now()).toISOString(),
						}),
					],
				},
			},
		]);
		// Leased: nobody else gets it.
		expect((await pullOnly(receiver)).wakeUps).toEqual([]);
		const done = await pullOnly(receiver, { wakeUps: [reported(wakeUps[0], 'ack', '200')] });
		expect(done).toMatchObject({ wakeUps: [], waiting: 0 });
		expect(waitViewSchema.strict().parse(await stateOf(receiver))).toMatchObject({
			...{ state: 'done', attempts: 1, lastResult: '200' },
		});
		await receiver.emit(event('undelivered', B));
		clock.advance(2 * HOUR);
		expect((await pullOnly(receiver)).wakeUps).toEqual([]);
	});

	it('a second n8n that is refused gets no wake-ups either', async () => {
		const receiver = await start(options);
		await receiver.emit(event('opened', A));
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

	it('once given up are on record, in the log and in a metric, and come again when a person says so', async () => {
		const lines: string[] = [];
		const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
		const receiver = await start({ ...options, dependencies: { clock, logger } });
		await receiver.emit(event('opened', A));
		await put(receiver, [A]);
		await untilState(receiver, 'queued');
		const [one] = (await pullOnly(receiver)).wakeUps;
		await pullOnly(receiver, { wakeUps: [reported(one, 'nak', 'n8n is starting up')] });
		clock.advance(25 * HOUR);
		await untilState(receiver, 'dead');

		const { body } = await receiver.manage('GET', '/batches?state=dead');
		const [dead] = body.data as BatchRecord[];
		expect(dead).toMatchObject({
			...{ id: one.id, wait: WAIT, consumer: 'n8n~', events: [], attempts: 1 },
			reason: 'n8n is starting up',
		});
		const logged = lines.map((line) => JSON.parse(line) as object);
		expect(logged).toContainEqual(
			expect.objectContaining({ batch: one.id, wait: WAIT, reason: 'n8n is starting up' }),
		);
		expect(lines.join()).not.toMatch(/secret-of|token-of-n8n/);
		const metrics = await (await fetch(`${receiver.url}/metrics`)).text();
		expect(metrics).toContain('receiver_wake_ups_total{outcome="dead"} 1\n');

		const again = await receiver.manage('POST', `/batches/${one.id}/retry`);
		expect(again).toMatchObject({ status: 202, body: { wait: WAIT, state: 'queued' } });
		const { wakeUps } = await pullOnly(receiver);
		expect(wakeUps).toMatchObject([{ secret: SECRET, resume: { waitId: WAIT } }]);
		await pullOnly(receiver, { wakeUps: [reported(wakeUps[0], 'ack')] });
		expect(await stateOf(receiver)).toMatchObject({ state: 'done' });
	});

	it('come once, to as many of the pulls that are held as it takes', async () => {
		const receiver = await start(options);
		const ids = Array.from({ length: 120 }, (_, n) => String(n + 1).padStart(12, '0'));
		await receiver.emit(ids.map((id) => event('opened', id)));
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
			const answer = await pullOnly(receiver, { holdMs: HOLD }, `n8n~p${n}`);
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
		const ids = Array.from({ length: 60 }, (_, n) => String(n + 1).padStart(12, '0'));
		await receiver.emit(ids.map((id) => event('opened', id)));
		await Promise.all(ids.map((id) => put(receiver, [id], {}, `${WAIT}-${id}`)));
		for (const id of ids) await untilState(receiver, 'queued', `${WAIT}-${id}`);
		const { wakeUps } = await pullOnly(receiver);
		expect(wakeUps).toHaveLength(50);
		const inHand = wakeUps.map((one) => reported(one, 'inProgress'));
		const full = pullOnly(receiver, { wakeUps: inHand, holdMs: HOLD });
		await receiver.atRest();
		clock.advance(HOLD);
		expect((await full).wakeUps).toEqual([]);
		const [first, ...others] = wakeUps;
		const after = [reported(first, 'ack'), ...others.map((one) => reported(one, 'inProgress'))];
		expect((await pullOnly(receiver, { wakeUps: after })).wakeUps).toHaveLength(1);
	});

	it('go on after a restart: with news, with a deadline that passed, with one that is due', async () => {
		const first = await start(options);
		await put(first, [A]);
		await put(first, [B], {}, `${WAIT}-2`);
		await first.emit(event('opened', A));
		await untilState(first, 'queued');
		const [one] = (await pullOnly(first)).wakeUps;
		await pullOnly(first, { wakeUps: [reported(one, 'nak')] });
		await first.close();
		clock.advance(HOUR);
		const second = await start(options);
		await untilState(second, 'queued', `${WAIT}-2`);
		const { wakeUps } = await pullOnly(second);
		expect(wakeUps.map(({ resume }) => resume.reason).sort()).toEqual(['complete', 'deadline']);
	});

	it('miss no event that is stored in the moment the wait is', async () => {
		const receiver = await start(options);
		const ids = Array.from({ length: 40 }, (_, n) => String(n + 1).padStart(12, '0'));
		await Promise.all(
			ids.flatMap((id) => [
				receiver.emit(event('opened', id)),
				put(receiver, [id], {}, `${WAIT}-${id}`),
			]),
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

describe('what is asked', () => {
	const tooLate = new Date(Date.now() + (LONGEST_WAIT_DAYS + 1) * 24 * HOUR).toISOString();

	it.each([
		['no URL', { resumeUrl: 'file:///etc/passwd' }, 'resumeUrl'],
		['a weak secret', { secret: 'secret-of-few' }, 'secret'],
		['a message twice', { messages: [{ messageId: A }, { messageId: A }] }, 'twice'],
		['a deadline in years', { deadline: tooLate }, 'deadline'],
	])('is refused: %s', async (_, change, named) => {
		const receiver = await start();
		const body = { ...wait({ now: Date.now }, [A]), ...change };
		const answer = await receiver.manage('PUT', `/waits/${WAIT}`, body);
		expect(answer).toMatchObject({ status: 422, body: { code: 'invalid-wait' } });
		expect(answer.body.message).toContain(named);
		expect(JSON.stringify(answer.body)).not.toMatch(/secret-of/);
		expect(await receiver.manage('GET', `/waits/${WAIT}`)).toMatchObject({ status: 404 });
	});
});

describe('several receivers on one PostgreSQL', () => {
	it('tell each wait once, whoever has the event, and whoever is pulled', async () => {
		const env = { DATABASE_URL: await freshDatabase() };
		const all = await Promise.all([start({ env }), start({ env }), start({ env })]);
		const ids = Array.from({ length: 30 }, (_, n) => String(n + 1).padStart(12, '0'));
		await Promise.all(
			ids.map((id, n) =>
				all[n % 3].manage('PUT', `/waits/${WAIT}-${id}`, wait({ now: Date.now }, [id])),
			),
		);
		const held = pullOnly(all[2], { holdMs: HOLD });
		await allAtRest(all);
		await Promise.all(
			ids.map((messageId, n) => all[(n + 1) % 3].emit({ event: 'aes_opened', messageId })),
		);
		const woken = (await held).wakeUps;
		for (let n = 0; woken.length < ids.length && n < 100; n++) {
			woken.push(...(await pullOnly(all[n % 3], { holdMs: 100 })).wakeUps);
		}
		const told = woken.map(({ resume }) => resume.waitId).sort();
		expect(told).toEqual(ids.map((id) => `${WAIT}-${id}`));
	});
});
