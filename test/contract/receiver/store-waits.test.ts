// Over HTTP, on both stores: what executions are waiting for, from the registration to the record of it.
// Time is moved by hand.
import { ACK_WAIT_MS } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type {
	BatchSettlement,
	PullRequest,
} from '../../../webhook-receiver/src/core/pull-contract.ts';
import { cleanUp, idOf, until, waitFor } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const [ID, OTHER] = ['wait-0000-0000-0001', 'wait-0000-0000-0002'];
const [A, B, C] = [1, 2, 3].map(idOf);
const { secret: SECRET, resumeUrl: RESUME_URL } = waitFor({ now: Date.now }, []);

describe.each(STORES)('$name', (kind) => {
	let place: Restartable;
	beforeEach(async () => {
		place = await Restartable.on(kind);
	});

	const manage = async (method: string, path: string, body?: object) =>
		place.receiver.manage(method, path, body);
	const put = async (id = ID, more: object = {}) => {
		const wait = waitFor(place.clock, [A, B], more);
		return (await manage('PUT', `/waits/${id}`, wait)).body;
	};
	const happens = (state: string, ...messageIds: string[]) =>
		place.receiver.emit(messageIds.map((messageId) => ({ event: `aes_${state}`, messageId })));
	const pull = (more: Partial<PullRequest> = {}, instance = 'n8n') =>
		place.receiver.pulled({ wants: null, ...more }, { key: `${instance}~process` });
	/** Handed out. */
	const taken = async (instance = 'n8n') => (await pull({}, instance)).wakeUps;
	const shown = async (id = ID) => (await manage('GET', `/waits/${id}`)).body;
	const untilState = (state: string, id = ID) =>
		until(async () => (await shown(id)).state === state, `the wait is ${state}`);
	/** Says what became of it; takes nothing. */
	const settle = async (outcome: BatchSettlement['outcome'], reason: string) => {
		const { batch } = (await shown()) as { batch: string };
		await pull({ wakeUps: [{ batch, outcome, reason }], leaving: true });
	};
	const ready = async (id = ID) => {
		await put(id);
		await happens('opened', A, B);
		await untilState('queued', id);
	};
	const pass = async (milliseconds: number) => {
		place.clock.advance(milliseconds);
		await place.receiver.atRest();
	};

	it('brings all outcomes home once they are final, to its own n8n', async () => {
		const registered = await put();
		expect(registered).toMatchObject({ waitId: ID, instance: 'n8n', state: 'open', attempts: 0 });
		expect(JSON.stringify(registered)).not.toMatch(/secret-of|token-of/);
		await happens('opened', A);
		await happens('received', B);
		await place.receiver.atRest();
		expect(await pull()).toMatchObject({ wakeUps: [], waiting: true });
		const held = pull({ openMs: 25_000 });
		const another = pull({ openMs: 25_000 }, 'another-n8n');
		await place.receiver.untilHeld();
		await happens('opened', B);
		const [wakeUp] = (await held).wakeUps;
		expect(wakeUp).toMatchObject({
			resumeUrl: RESUME_URL,
			secret: SECRET,
			resume: {
				waitId: ID,
				reason: 'complete',
				outcomes: [
					{ id: A, outcome: 'opened', status: 'OPENED', event: 'tracked_mail.opened' },
					{ id: B, outcome: 'opened' },
				],
			},
		});
		place.clock.advance(25_000);
		expect(await another).toMatchObject({ wakeUps: [], waiting: false });
		await settle('ack', 'the node said so');
		const end = { state: 'done', attempts: 1, lastResult: 'the node said so' };
		expect(await shown()).toMatchObject(end);
		expect(await pull()).toMatchObject({ wakeUps: [], waiting: false });
	});

	it('is over at its deadline, not before, with what is known by then', async () => {
		await put();
		await put(OTHER, { messages: [{ messageId: C, messageType: 'AES' }] });
		await happens('opened', A);
		await happens('sent', C);
		await pass(HOUR - SECOND);
		// Something to look at.
		await happens('received', B);
		await place.receiver.atRest();
		expect(await taken()).toEqual([]);
		await pass(SECOND);
		const told = (await taken()).map(({ resume: { waitId, reason, outcomes } }) => [
			waitId,
			reason,
			...outcomes.map(({ outcome }) => outcome),
		]);
		expect(told.sort()).toEqual([
			[ID, 'deadline', 'opened', 'none'],
			[OTHER, 'deadline', 'none'],
		]);
	});

	it('knows what happened before it, and of two registrations the later counts', async () => {
		const later = 'secret-of-the-later-registration-0123';
		await happens('opened', A, B);
		await put();
		await put(ID, { secret: later });
		await untilState('queued');
		expect(await taken()).toMatchObject([{ secret: later, resume: { reason: 'complete' } }]);
		expect(await taken()).toEqual([]);
	});

	it('gives a wake-up to one at a time, until its lease is over, and hears nothing from another n8n', async () => {
		await ready();
		const both = (await Promise.all([taken(), taken()])).flat();
		expect(both).toMatchObject([{ secret: SECRET }]);
		await pull({ wakeUps: [{ batch: both[0].id, outcome: 'ack' }] }, 'another-n8n');
		expect(await shown()).toMatchObject({ state: 'in-hand' });
		place.clock.advance(ACK_WAIT_MS - 1);
		expect(await pull()).toMatchObject({ wakeUps: [], waiting: true });
		await place.restart();
		expect(await taken()).toEqual([]);
		place.clock.advance(1);
		expect(await taken()).toHaveLength(1);
	});

	it('tries again, later and later, and gives up only long after the deadline', async () => {
		await ready();
		const since = place.clock.now();
		expect(await taken()).toHaveLength(1);
		for (const pause of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
			await settle('nak', 'n8n is starting up');
			place.clock.advance(pause * SECOND - 1);
			expect(await taken()).toEqual([]);
			place.clock.advance(1);
			expect(await taken()).toHaveLength(1);
		}
		await settle('nak', 'n8n is starting up');
		// A day after its deadline.
		await pass(since + HOUR + DAY - 2 * MINUTE - place.clock.now());
		expect(await shown()).toMatchObject({ state: 'queued' });
		await pass(10 * MINUTE);
		expect(await shown()).toMatchObject({
			state: 'dead',
			attempts: 12,
			lastResult: 'n8n is starting up',
		});
		expect(await taken()).toEqual([]);
	});

	it('is on record like any batch, and a person has it handed out once more by its id', async () => {
		await ready();
		const { batches } = place.receiver;
		expect(await batches('queued')).toMatchObject([{ wait: ID, events: [], attempts: 0 }]);
		await pass(3 * DAY);
		await untilState('dead');
		const [{ id, reason }] = await batches('dead');
		expect(reason).toBe('No n8n asked for it.');
		const held = pull({ openMs: 25_000 });
		await place.receiver.untilHeld();
		expect(await manage('POST', `/batches/${id}/retry`)).toMatchObject({
			status: 202,
			body: { wait: ID, state: 'queued' },
		});
		expect((await manage('POST', `/batches/${id}/retry`)).status).toBe(404);
		expect((await held).wakeUps).toMatchObject([{ secret: SECRET, resume: { waitId: ID } }]);
		await settle('nak', 'n8n is starting up');
		await pass(DAY - 5 * MINUTE);
		expect(await shown()).toMatchObject({ state: 'queued' });
		await pass(2 * DAY);
		await untilState('dead');
		expect((await manage('POST', '/batches/retry?state=dead')).body).toEqual({ retried: 1 });
		expect(await taken()).toHaveLength(1);
		await settle('ack', 'at last');
		await manage('DELETE', `/waits/${ID}`);
		expect(await batches()).toEqual([]);
	});

	it('is given up that nobody pulls for', async () => {
		await ready();
		await pass(HOUR + DAY - 5 * MINUTE);
		expect(await shown()).toMatchObject({ state: 'queued' });
		await pass(15 * MINUTE);
		await untilState('dead');
		// Not before its deadline, not before a day in which it could have been woken, and not while n8n has it.
		await put(ID, { deadline: new Date(place.clock.now() + 3 * DAY).toISOString() });
		await pass(4 * DAY - HOUR);
		expect(await shown()).toMatchObject({ state: 'queued' });
		const [{ id: batch }] = await taken();
		for (let minutes = 0; minutes < 120; minutes++) {
			await pull({ wakeUps: [{ batch, outcome: 'inProgress' }] });
			await pass(ACK_WAIT_MS - SECOND);
		}
		expect(await shown()).toMatchObject({ state: 'in-hand' });
		await pass(2 * MINUTE);
		await untilState('dead');
	});

	it('goes after the retention once it has ended, and not before', async () => {
		await ready();
		expect(await taken()).toHaveLength(1);
		await settle('ack', 'at last');
		await pass(20 * MINUTE);
		await pass(29 * DAY);
		expect(await shown()).toMatchObject({ state: 'done' });
		place.clock.advance(2 * DAY);
		await until(async () => {
			await pass(10 * MINUTE);
			return (await manage('GET', `/waits/${ID}`)).status === 404;
		}, 'it is gone');
	});
});
