// One contract, both stores: what executions are waiting for. Times are
// passed in.
import type { BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type { Wait } from '../../../webhook-receiver/src/core/wait-contract.ts';
import { ACK_WAIT_MS } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { STORES, type Opened } from './store-environment.ts';
import { arrival } from './stores.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ID = 'wait-0000-0000-0001';
const SECRET = 'secret-of-this-wait-alone-0123456789';
const [A, B] = ['000000000001', '000000000002'];

describe.each(STORES)('$name', (kind) => {
	let opened: Opened;
	let now: number;
	let told: string[];
	beforeEach(async () => {
		opened = await kind.open();
		now = Date.now();
		told = [];
		opened.store.listen({
			onEvents: () => undefined,
			onQueue: (key) => told.push(key),
			onWaits: () => undefined,
			onPolls: () => undefined,
			onMissed: () => undefined,
			isWaiting: () => true,
		});
	});
	afterEach(() => opened.end());

	const waits = () => opened.store.waits;
	const put = (id = ID, more: Partial<Wait> = {}) => {
		const deadline = new Date(now + HOUR).toISOString();
		const messages = [A, B].map((messageId) => ({ messageId, messageType: 'AES' as const }));
		const resumeUrl = 'http://127.0.0.1:9/webhook-waiting/7?signature=token-of-n8n';
		return waits().put(
			id,
			{
				instance: 'n8n',
				resumeUrl,
				secret: SECRET,
				messages,
				deadline,
				trackedMailGoal: 'opened',
				...more,
			},
			now,
		);
	};
	const happens = (state: string, ...messageIds: string[]) =>
		opened.store.intake.add(
			arrival(now, ...messageIds.map((messageId) => ({ event: `aes_${state}`, messageId }))),
		);
	const gather = async () => {
		while (await waits().gather(now));
	};
	const lease = (instance = 'n8n', most = 10) =>
		waits().lease({ instance, holder: 'one', most }, now);
	const batch = async (id = ID) => String((await waits().get(id))?.batch);
	const settle = async (outcome: BatchSettlement['outcome'], reason: string) => {
		const settlement = { batch: await batch(), outcome, reason };
		await opened.store.consumers.settle('n8n~', 'one', [settlement], now);
	};
	/** The notification may come through the database. */
	const untilTold = async (instance: string) => {
		for (let turn = 0; told.length === 0 && turn < 1_000; turn++) {
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
		expect(new Set(told)).toEqual(new Set([`${instance}~`]));
	};
	const state = async (id = ID) => (await waits().get(id))?.state;
	const ready = async (id = ID) => {
		await put(id);
		await happens('opened', A, B);
		await gather();
	};

	it('brings all outcomes home once they are final, to its own n8n', async () => {
		const registered = await put();
		expect(registered).toMatchObject({ waitId: ID, instance: 'n8n', state: 'open', attempts: 0 });
		expect(JSON.stringify(registered)).not.toMatch(/secret-of|token-of/);
		await happens('opened', A);
		await happens('received', B);
		await gather();
		expect(await lease()).toEqual([]);
		expect(await waits().waiting('n8n', now)).toEqual({ any: true, nextAt: null });
		await happens('opened', B);
		expect(await waits().nextGather()).toBeLessThanOrEqual(now);
		expect(told).toEqual([]);
		await gather();
		await untilTold('n8n');
		expect(await lease('another-n8n')).toEqual([]);
		const [wakeUp] = await lease();
		expect(wakeUp).toMatchObject({
			resumeUrl: 'http://127.0.0.1:9/webhook-waiting/7?signature=token-of-n8n',
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
		await settle('ack', 'the node said so');
		expect(await waits().get(ID)).toMatchObject({
			state: 'done',
			attempts: 1,
			lastResult: 'the node said so',
		});
		expect(await waits().waiting('n8n', now)).toEqual({ any: false, nextAt: null });
		expect(await waits().nextGather()).toBeNull();
	});

	it('counts what came before it, and is due at its deadline whatever is missing', async () => {
		await happens('opened', A);
		await put();
		await gather();
		expect(await waits().nextGather()).toBe(now + HOUR);
		now += HOUR;
		await gather();
		const [{ resume }] = await lease();
		expect(resume).toMatchObject({ reason: 'deadline' });
		expect(resume.outcomes.map(({ outcome }) => outcome)).toEqual(['opened', 'none']);
	});

	it('gives a wake-up to one at a time, until its lease is over', async () => {
		await ready();
		expect(await Promise.all([lease(), lease()])).toEqual(
			expect.arrayContaining([[], [expect.objectContaining({ secret: SECRET })]]),
		);
		now += ACK_WAIT_MS - 1;
		expect(await lease()).toEqual([]);
		expect(await waits().waiting('n8n', now)).toEqual({ any: true, nextAt: now + 1 });
		opened = await opened.reopen();
		expect(await lease()).toEqual([]);
		now += 1;
		expect(await lease()).toHaveLength(1);
	});

	it('is not given up while n8n has it in hand, and stays with who has it, for as long as that is said', async () => {
		await ready();
		now += HOUR + DAY - 1;
		expect(await lease()).toHaveLength(1);
		for (let minutes = 0; minutes < 60; minutes++) {
			now += ACK_WAIT_MS - 1;
			await settle('inProgress', 'n8n has it in hand');
			expect(await lease()).toEqual([]);
			expect(await waits().giveUp(now)).toEqual([]);
		}
		expect(await waits().get(ID)).toMatchObject({ state: 'in-hand', attempts: 1 });
		now += ACK_WAIT_MS;
		expect(await lease()).toHaveLength(1);
		await settle('ack', 'the node said so');
		await settle('inProgress', 'n8n has it in hand');
		expect(await state()).toBe('done');
	});

	it('tries again, later and later, and gives up only long after the deadline', async () => {
		await ready();
		const ready_at = now;
		const pauses: number[] = [];
		const givenUp = [];
		while (givenUp.length === 0) {
			expect(await lease()).toHaveLength(1);
			await settle('nak', 'n8n is starting up');
			const { nextAt } = await waits().waiting('n8n', now);
			pauses.push(((nextAt ?? 0) - now) / SECOND);
			now = nextAt ?? 0;
			givenUp.push(...(await waits().giveUp(now)));
		}
		expect(pauses.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
		// A day after its deadline, or after it was over if that is later.
		expect(now).toBeGreaterThanOrEqual(ready_at + HOUR + DAY);
		expect(now).toBeLessThan(ready_at + HOUR + DAY + HOUR);
		expect(givenUp).toMatchObject([
			{ wait: ID, state: 'dead', attempts: pauses.length, reason: 'n8n is starting up' },
		]);
		expect(await waits().get(ID)).toMatchObject({
			state: 'dead',
			lastResult: 'n8n is starting up',
		});
		expect(await lease()).toEqual([]);
		expect(await waits().giveUp(now)).toEqual([]);
	});

	it('is on record like any batch, and a person has it handed out once more by its id', async () => {
		await ready();
		const { consumers } = opened.store;
		const listed = (state: 'queued' | 'dead') => consumers.batches({ state, limit: 9 });
		expect(await listed('queued')).toMatchObject([{ wait: ID, events: [], attempts: 0 }]);
		now += 3 * DAY;
		expect(await waits().giveUp(now)).toHaveLength(1);
		const [{ id, reason }] = await listed('dead');
		expect(reason).toBe('No n8n asked for it.');
		told.length = 0;
		expect(await consumers.retry(id, now)).toMatchObject({ wait: ID, state: 'queued' });
		expect(await consumers.retry(id, now)).toBeNull();
		await untilTold('n8n');
		expect(await batch()).not.toBe(id);
		now += DAY - 1;
		expect(await waits().giveUp(now)).toEqual([]);
		expect(await lease()).toMatchObject([{ secret: SECRET, resume: { waitId: ID } }]);
		now += 2 * DAY;
		expect(await waits().giveUp(now)).toHaveLength(1);
		expect(await consumers.retryDead(null, now)).toBe(1);
		expect(await lease()).toHaveLength(1);
		await settle('ack', 'at last');
		await waits().remove(ID);
		expect(await consumers.batches({ state: null, limit: 9 })).toEqual([]);
	});

	it('is given up that nobody pulls for', async () => {
		await ready();
		now += HOUR + DAY - 1;
		expect(await waits().giveUp(now)).toEqual([]);
		now += 1;
		expect(await waits().giveUp(now)).toMatchObject([{ wait: ID }]);
		expect(await state()).toBe('dead');
		// Not before its deadline, and not before a day in which it could have been woken.
		await put(ID, { deadline: new Date(now + 3 * DAY).toISOString() });
		await gather();
		now += 4 * DAY - 1;
		expect(await waits().giveUp(now)).toEqual([]);
	});

	it('says what is known when it is handed out, also once more', async () => {
		await happens('opened', A);
		await happens('received', B);
		await put();
		now += HOUR;
		await gather();
		expect(await lease()).toMatchObject([{ resume: { reason: 'deadline' } }]);
		await settle('nak', 'n8n is starting up');
		await happens('opened', B);
		now += MINUTE;
		expect(await lease()).toMatchObject([
			{ resume: { reason: 'complete', outcomes: [{ outcome: 'opened' }, { outcome: 'opened' }] } },
		]);
	});

	it('is replaced by another of its name, and removed', async () => {
		await ready();
		expect(await put(ID, { instance: 'other-n8n' })).toMatchObject({ state: 'open' });
		expect(await waits().waiting('n8n', now)).toMatchObject({ any: false });
		await gather();
		expect(await lease('other-n8n')).toHaveLength(1);
		await waits().remove(ID);
		await waits().remove(ID);
		expect(await waits().get(ID)).toBeNull();
	});

	it('gathers in bounded steps', async () => {
		for (let n = 0; n < 50; n++) await put(`wait-0000-0000-1${String(n).padStart(3, '0')}`);
		await happens('opened', A, B);
		expect(await waits().gather(now)).toBe(true);
		await gather();
		expect(await lease('n8n', 100)).toHaveLength(50);
	});

	it.each(['sleep', 'are to be woken'])(
		'a look takes as long when 20,000 executions %s as when one does',
		async (which) => {
			const { database } = opened.store;
			const looks = async () => {
				const times: number[] = [];
				for (let look = 0; look < 30; look++) {
					const since = performance.now();
					expect(await waits().waiting('n8n', now)).toMatchObject({ any: true });
					times.push(performance.now() - since);
				}
				// The quickest: what else the machine does only adds to it.
				return Math.min(...times);
			};
			await ready();
			const few = await looks();
			const copied =
				which === 'sleep'
					? `waits SELECT waits.id || n, instance, target, sealed, tracked_mail_goal, awaits, deadline,
						deadline, created_at FROM waits`
					: `batches (id, consumer, sequences, wait, subjects, size, state, attempts, failures, due_at,
						created_at, updated_at) SELECT batches.id || n, consumer, sequences, wait || n, subjects,
						size, state, attempts, failures, due_at, created_at, updated_at FROM batches`;
			for (let at = 0; at < 20_000; at += 10_000) {
				await database.transaction((tx) =>
					tx.rows(
						`INSERT INTO ${copied}, json_to_recordset($1) AS copy (n text) WHERE length(id) < 50`,
						[Array.from({ length: 10_000 }, (_, n) => ({ n: `-${'copy'.repeat(10)}-${at + n}` }))],
					),
				);
			}
			expect(await looks()).toBeLessThan(few * 5 + 5);
		},
	);

	it('goes after the retention once it has ended, and not before', async () => {
		const retention = 30 * DAY;
		await ready();
		now += 31 * DAY;
		while (await opened.store.clean(retention, now));
		expect(await state()).toBe('queued');
		await settle('ack', 'at last');
		now += 31 * DAY;
		while (await opened.store.clean(retention, now));
		expect(await waits().get(ID)).toBeNull();
	});
});
