// What Await Outcome registers and what it is told (design, section Outcomes), over both stores, with
// a target that really listens. Time is moved by hand.
import {
	ManualClock,
	SUBSCRIPTION_SECRET,
	cleanUp,
	settleDown,
	start,
	temporaryFolder,
	until,
} from './harness.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { startProcess } from './process.ts';
import { DONE, FINISHED, RUNNING, resumeTarget } from './wait-target.ts';
import type { ResumeReply } from './wait-target.ts';

jest.setTimeout(120_000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WAIT = 'wait-0000-0000-0001';
const [A, B, C] = ['000000000001', '000000000002', '000000000003'];

let postgres: PostgresServer;
beforeAll(async () => {
	postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());
afterEach(cleanUp);

type Started = Awaited<ReturnType<typeof start>>;

function wait(url: string, clock: { now(): number }, messageIds: string[], more: object = {}) {
	return {
		resumeUrl: url,
		secret: SUBSCRIPTION_SECRET,
		messages: messageIds.map((messageId) => ({ messageId, messageType: 'AES' })),
		deadline: new Date(clock.now() + HOUR).toISOString(),
		...more,
	};
}

const stateOf = async (receiver: Pick<Started, 'manage'>, id = WAIT) =>
	(await receiver.manage('GET', `/waits/${id}`)).body;

const untilState = (receiver: Pick<Started, 'manage'>, state: string, id = WAIT) =>
	until(async () => (await stateOf(receiver, id)).state === state, `the wait is ${state}`);

describe.each(['sqlite', 'postgres'] as const)('waits, in %s', (kind) => {
	let clock: ManualClock;
	let options: { folder: string; env: Record<string, string>; dependencies: object };

	beforeEach(async () => {
		clock = new ManualClock();
		const env: Record<string, string> =
			kind === 'sqlite' ? {} : { DATABASE_URL: await postgres.freshDatabase() };
		options = { folder: temporaryFolder(), env, dependencies: { clock } };
	});

	const event = (state: string, messageId: string, more: object = {}) => ({
		event: `aes_${state}`,
		messageId,
		timestamp: new Date(clock.now()).toISOString(),
		...more,
	});

	it('tells all outcomes at once, signed, when the last one is final', async () => {
		const receiver = await start(options);
		const n8n = await resumeTarget();
		const answer = await receiver.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, clock, [A, B]));
		expect(answer).toMatchObject({ status: 200, body: { state: 'open', watching: false } });
		expect(JSON.stringify(answer.body)).not.toMatch(/whsec_|token-of-n8n/);

		await receiver.emit([event('sent', A), event('opened', A), event('received', B)]);
		await settleDown();
		expect(n8n.received).toHaveLength(0);
		expect(await stateOf(receiver)).toMatchObject({
			outcomes: [
				{ messageId: A, outcome: 'opened' },
				{ messageId: B, outcome: 'none', status: 'RECEIVED' },
			],
		});

		clock.advance(1_000);
		await receiver.emit(event('opened', B));
		await untilState(receiver, 'resumed');
		expect(n8n.received).toHaveLength(1);
		const [request] = n8n.received;
		expect(request.url).toBe('/webhook-waiting/7?signature=token-of-n8n');
		expect(n8n.isSigned(request, clock.now())).toBe(true);
		expect(request.headers['webhook-id']).toBe(WAIT);
		expect(request.resume).toMatchObject({
			waitId: WAIT,
			reason: 'complete',
			outcomes: [
				{ messageId: A, outcome: 'opened', status: 'OPENED', event: 'tracked_mail.opened' },
				{ messageId: B, outcome: 'opened', occurredAt: new Date(clock.now()).toISOString() },
			],
		});

		// Nothing more is sent, come what may.
		await receiver.emit(event('undelivered', B));
		clock.advance(2 * HOUR);
		await settleDown();
		expect(n8n.received).toHaveLength(1);
	});

	it('counts what came before the wait, and as final only what the goal says', async () => {
		const receiver = await start(options);
		const n8n = await resumeTarget();
		await receiver.emit([event('received', A), event('opened', B), event('received', C)]);
		await receiver.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, clock, [B]));
		await untilState(receiver, 'resumed');
		const received = wait(n8n.url, clock, [A], { trackedMailGoal: 'received' });
		await receiver.manage('PUT', `/waits/${WAIT}-2`, received);
		await untilState(receiver, 'resumed', `${WAIT}-2`);
		const simple = { messages: [{ messageId: C, messageType: null }] };
		await receiver.manage('PUT', `/waits/${WAIT}-3`, wait(n8n.url, clock, [], simple));
		await settleDown();
		expect(await stateOf(receiver, `${WAIT}-3`)).toMatchObject({ state: 'open' });
		expect(n8n.received.map(({ resume }) => resume.outcomes[0].outcome)).toEqual([
			'opened',
			'received',
		]);
	});

	it('[STAT-05][R] tells at the deadline what is not final; what bounced and arrived has arrived', async () => {
		const receiver = await start(options);
		const n8n = await resumeTarget();
		await receiver.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, clock, [A, B, C]));
		await receiver.emit([event('undelivered', A), event('undelivered', B)]);
		clock.advance(MINUTE);
		await receiver.emit([event('received', B)]);
		clock.advance(58 * MINUTE);
		await settleDown();
		expect(n8n.received).toHaveLength(0);
		clock.advance(MINUTE);
		await untilState(receiver, 'resumed');
		expect(n8n.received[0].resume).toMatchObject({
			reason: 'deadline',
			outcomes: [
				{ messageId: A, outcome: 'undelivered', status: 'UNDELIVERED' },
				{ messageId: B, outcome: 'none', status: 'RECEIVED', event: 'tracked_mail.received' },
				{ messageId: C, outcome: 'none', status: null, occurredAt: null, event: null },
			],
		});
	});

	const ANSWERS: Array<{
		name: string;
		replies: ResumeReply[];
		/** Time to be moved before each further attempt. */
		pauses: number[];
		end: object;
	}> = [
		{ name: '200', replies: [DONE], pauses: [], end: { state: 'resumed', lastResult: '200' } },
		{
			name: '404 while n8n starts',
			replies: [{ status: 404 }, { status: 404 }, DONE],
			pauses: [2_000, 10_000],
			end: { state: 'resumed', attempts: 3 },
		},
		{
			name: '404 for good',
			replies: [{ status: 404 }],
			pauses: [2_000, 10_000, 30_000, 60_000, 120_000, 300_000],
			end: { state: 'given-up', attempts: 7, lastResult: '404: there is no such execution' },
		},
		{
			name: '409 running, since the event beat the save',
			replies: [RUNNING, RUNNING, DONE],
			pauses: [500, 1_000],
			end: { state: 'resumed', attempts: 3 },
		},
		{
			name: '409 finished',
			replies: [FINISHED],
			pauses: [],
			end: { state: 'given-up', lastResult: '409: the execution has finished' },
		},
		{
			name: '410, the execution waits for something else',
			replies: [{ status: 410 }],
			pauses: [],
			end: { state: 'given-up' },
		},
		{
			name: '500, resumed twice at once',
			replies: [{ status: 500 }, FINISHED],
			pauses: [2_000],
			end: { state: 'given-up', attempts: 2 },
		},
		{
			name: '401 until somebody mends it',
			replies: [{ status: 401 }, { status: 401 }, DONE],
			pauses: [2_000, 10_000],
			end: { state: 'resumed', attempts: 3 },
		},
		{
			name: 'no answer at all',
			replies: ['hang', DONE],
			pauses: [2_000],
			end: { state: 'resumed', attempts: 2 },
		},
	];

	it.each(ANSWERS)("does as n8n's answer asks: $name", async ({ replies, pauses, end }) => {
		const receiver = await start({
			...options,
			env: { ...options.env, DELIVERY_TIMEOUT: '300ms' },
		});
		const n8n = await resumeTarget((index) => replies[Math.min(index, replies.length - 1)]);
		await receiver.emit(event('opened', A));
		await receiver.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, clock, [A]));
		for (const [index, pause] of pauses.entries()) {
			await until(async () => (await stateOf(receiver)).attempts === index + 1, 'it was tried');
			clock.advance(pause - 1);
			await settleDown();
			expect(n8n.received).toHaveLength(index + 1);
			clock.advance(1);
			await until(() => n8n.received.length === index + 2, 'it is tried again');
		}
		await until(
			async () => (await stateOf(receiver)).state === (end as { state: string }).state,
			'it ends',
		);
		expect(await stateOf(receiver)).toMatchObject(end);
		clock.advance(24 * HOUR);
		await settleDown();
		expect(n8n.received).toHaveLength(pauses.length + 1);
		// Each attempt says the same.
		expect(new Set(n8n.received.map(({ text }) => text)).size).toBe(1);
	});

	it('takes a replaced wait for the new one, forgets a removed one', async () => {
		const receiver = await start(options);
		const n8n = await resumeTarget();
		await receiver.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, clock, [A]));
		await receiver.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, clock, [B]));
		await receiver.manage('PUT', `/waits/${WAIT}-2`, wait(n8n.url, clock, [C]));
		expect(await receiver.manage('DELETE', `/waits/${WAIT}-2`)).toMatchObject({ status: 204 });
		expect(await receiver.manage('GET', `/waits/${WAIT}-2`)).toMatchObject({ status: 404 });
		expect(await receiver.manage('DELETE', `/waits/${WAIT}-2`)).toMatchObject({ status: 204 });
		await receiver.emit([event('opened', A), event('opened', C)]);
		await settleDown();
		expect(n8n.received).toHaveLength(0);
		await receiver.emit(event('opened', B));
		await untilState(receiver, 'resumed');
		expect(n8n.received[0].resume.outcomes).toHaveLength(1);
	});

	it('goes on after a restart: with news, with a deadline that passed, with an attempt that is due', async () => {
		const first = await start(options);
		let reply: ResumeReply = { status: 503 };
		const n8n = await resumeTarget(() => reply);
		await first.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, clock, [A]));
		await first.manage('PUT', `/waits/${WAIT}-2`, wait(n8n.url, clock, [B]));
		await first.emit(event('opened', A));
		await until(async () => (await stateOf(first)).attempts === 1, 'the first is tried');
		await first.close();
		reply = DONE;
		clock.advance(HOUR);
		const second = await start(options);
		await untilState(second, 'resumed');
		await untilState(second, 'resumed', `${WAIT}-2`);
		expect(
			n8n.received
				.slice(1)
				.map(({ resume }) => resume.reason)
				.sort(),
		).toEqual(['complete', 'deadline']);
	});

	it('a kill in the midst of an attempt loses nothing', async () => {
		let reply: ResumeReply = 'hang';
		const n8n = await resumeTarget(() => reply);
		const env = { ...options.env, DELIVERY_TIMEOUT: '2s' };
		const first = await startProcess(options.folder, env);
		const real = { now: () => Date.now() };
		await first.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, real, [A]));
		await first.emit({ event: 'aes_opened', messageId: A });
		await until(() => n8n.received.length === 1, 'it is under way');
		first.child.kill('SIGKILL');
		await first.exited;
		reply = DONE;
		const second = await startProcess(options.folder, env);
		await until(() => n8n.received.length === 2, 'it comes again');
		await untilState(second, 'resumed');
		expect(n8n.received[1].text).toBe(n8n.received[0].text);
	});

	it('a thousand messages, and several waits for the same', async () => {
		const receiver = await start(options);
		const n8n = await resumeTarget();
		const ids = Array.from({ length: 1000 }, (_, n) => String(n + 1).padStart(12, '0'));
		await receiver.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, clock, ids));
		await receiver.manage('PUT', `/waits/${WAIT}-2`, wait(n8n.url, clock, ids.slice(0, 500)));
		for (let from = 0; from < ids.length; from += 100) {
			await receiver.emit(ids.slice(from, from + 100).map((id) => event('opened', id)));
		}
		await untilState(receiver, 'resumed');
		await untilState(receiver, 'resumed', `${WAIT}-2`);
		expect(n8n.received).toHaveLength(2);
		const all = n8n.received.find(({ resume }) => resume.waitId === WAIT);
		expect(all?.resume.outcomes.map(({ messageId }) => messageId)).toEqual(ids);
		const tooMany = wait(n8n.url, clock, [...ids, '000000001001']);
		const refused = await receiver.manage('PUT', `/waits/${WAIT}-3`, tooMany);
		expect(refused).toMatchObject({ status: 422, body: { code: 'invalid-wait' } });
	});

	it('misses no event that is stored in the moment the wait is', async () => {
		const receiver = await start(options);
		const n8n = await resumeTarget();
		const ids = Array.from({ length: 40 }, (_, n) => String(n + 1).padStart(12, '0'));
		await Promise.all(
			ids.flatMap((id) => [
				receiver.emit(event('opened', id)),
				receiver.manage('PUT', `/waits/${WAIT}-${id}`, wait(n8n.url, clock, [id])),
			]),
		);
		await until(() => n8n.received.length === ids.length, 'all are told').catch(() => undefined);
		expect(n8n.received.map(({ resume }) => resume.outcomes[0].messageId).sort()).toEqual(ids);
	});

	it('ended waits are removed with the events of their time, open ones are kept', async () => {
		const receiver = await start({ ...options, env: { ...options.env, RETENTION: '1d' } });
		const n8n = await resumeTarget();
		const deadline = new Date(clock.now() + 72 * HOUR).toISOString();
		await receiver.manage('PUT', `/waits/${WAIT}`, wait(n8n.url, clock, [A, B], { deadline }));
		await receiver.manage('PUT', `/waits/${WAIT}-2`, wait(n8n.url, clock, [A], { deadline }));
		await receiver.emit(event('opened', A));
		await untilState(receiver, 'resumed', `${WAIT}-2`);
		await until(
			async () => JSON.stringify(await stateOf(receiver)).includes('"opened"'),
			'the other one knows as well',
		);
		clock.advance(25 * HOUR);
		await until(
			async () => (await receiver.manage('GET', `/waits/${WAIT}-2`)).status === 404,
			'the ended one is gone',
		);
		await until(
			async () => ((await receiver.manage('GET', '/events')).body.data as unknown[]).length === 0,
			'the event is gone',
		);
		await receiver.emit(event('opened', B));
		await untilState(receiver, 'resumed');
		expect(n8n.received[1].resume.outcomes).toMatchObject([
			{ outcome: 'opened' },
			{ outcome: 'opened' },
		]);
	});
});

describe('what is asked', () => {
	it.each([
		['a target that is not allowed', { resumeUrl: 'http://10.1.2.3/x' }, 'target-not-allowed'],
		['no URL', { resumeUrl: 'file:///etc/passwd' }, 'invalid-wait'],
		['a weak secret', { secret: 'whsec_short' }, 'invalid-wait'],
		['no message', { messages: [] }, 'invalid-wait'],
		['a message twice', { messages: [{ messageId: A }, { messageId: A }] }, 'invalid-wait'],
		['no message id', { messages: [{ messageId: '12' }] }, 'invalid-wait'],
		['a deadline in years', { deadline: '2099-01-01T00:00:00Z' }, 'invalid-wait'],
		['something unknown', { more: true }, 'invalid-wait'],
	])('is refused: %s', async (_, change, code) => {
		const receiver = await start();
		const body = { ...wait('http://127.0.0.1:9/', { now: Date.now }, [A]), ...change };
		const answer = await receiver.manage('PUT', `/waits/${WAIT}`, body);
		expect(answer).toMatchObject({ status: 422, body: { code } });
		expect(JSON.stringify(answer.body)).not.toMatch(/whsec_[A-Za-z0-9]/);
		expect(await receiver.manage('GET', `/waits/${WAIT}`)).toMatchObject({ status: 404 });
	});

	it('needs the management token, and a name nobody guesses', async () => {
		const receiver = await start();
		const body = wait('http://127.0.0.1:9/', { now: Date.now }, [A]);
		for (const method of ['PUT', 'GET', 'DELETE']) {
			const asked = method === 'PUT' ? body : undefined;
			const answer = await receiver.manage(method, `/waits/${WAIT}`, asked, 'wrong-token');
			expect(answer.status).toBe(401);
		}
		expect(await receiver.manage('PUT', '/waits/short', body)).toMatchObject({ status: 404 });
	});
});

describe('several receivers on one PostgreSQL', () => {
	it('tell each wait once, whoever has the event', async () => {
		const env = { DATABASE_URL: await postgres.freshDatabase() };
		const all = await Promise.all([start({ env }), start({ env }), start({ env })]);
		const n8n = await resumeTarget();
		const ids = Array.from({ length: 30 }, (_, n) => String(n + 1).padStart(12, '0'));
		const now = { now: Date.now };
		await Promise.all(
			ids.map((id, n) =>
				all[n % 3].manage('PUT', `/waits/${WAIT}-${id}`, wait(n8n.url, now, [id])),
			),
		);
		await Promise.all(
			ids.map((messageId, n) => all[(n + 1) % 3].emit({ event: 'aes_opened', messageId })),
		);
		await until(async () => {
			const states = await Promise.all(ids.map((id) => stateOf(all[0], `${WAIT}-${id}`)));
			return states.every(({ state }) => state === 'resumed');
		}, 'all are told');
		expect(n8n.received).toHaveLength(ids.length);
	});
});
