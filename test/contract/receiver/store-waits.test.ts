// One contract, both stores: what executions are waiting for. Times are
// passed in.
import type { WakeUpResult } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type { Wait } from '../../../webhook-receiver/src/core/wait-contract.ts';
import { WAKE_UP_LEASE_MS } from '../../../webhook-receiver/src/wait/wake-up-policy.ts';
import { STORES, type Opened } from './store-environment.ts';
import { candidate } from './stores.ts';

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
			onConsumer: () => undefined,
			onWakeUps: (instance) => told.push(instance),
			onWaits: () => undefined,
			onPolls: () => undefined,
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
				...{ instance: 'n8n', resumeUrl, secret: SECRET, messages, deadline },
				trackedMailGoal: 'opened',
				...more,
			},
			now,
		);
	};
	const happens = (state: string, ...messageIds: string[]) =>
		opened.store.ingest(
			messageIds.map((messageId) => candidate({ event: `aes_${state}`, messageId }, now)),
			now,
		);
	const gather = async () => {
		while (await waits().gather(now));
	};
	const claim = (instance = 'n8n') => waits().claim(instance, 10, now);
	const settle = (outcome: WakeUpResult['outcome'], result: string) =>
		waits().settle([{ waitId: ID, outcome, result }], now);
	/** The notification may come through the database. */
	const untilTold = async (instance: string) => {
		for (let turn = 0; told.length === 0 && turn < 1_000; turn++) {
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
		expect(new Set(told)).toEqual(new Set([instance]));
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
		expect(await claim()).toEqual([]);
		expect(await waits().waiting('n8n')).toEqual({ count: 1, nextAt: null });
		await happens('opened', B);
		expect(await waits().nextGather()).toBeLessThanOrEqual(now);
		expect(told).toEqual([]);
		await gather();
		await untilTold('n8n');
		expect(await claim('another-n8n')).toEqual([]);
		const [wakeUp] = await claim();
		expect(wakeUp).toMatchObject({
			resumeUrl: 'http://127.0.0.1:9/webhook-waiting/7?signature=token-of-n8n',
			secret: SECRET,
			resume: {
				...{ waitId: ID, reason: 'complete' },
				outcomes: [
					{ id: A, outcome: 'opened', status: 'OPENED', event: 'tracked_mail.opened' },
					{ id: B, outcome: 'opened' },
				],
			},
		});
		await settle('resumed', 'the node said so');
		expect(await waits().get(ID)).toMatchObject({
			...{ state: 'resumed', attempts: 1, lastResult: 'the node said so' },
		});
		expect(await waits().waiting('n8n')).toEqual({ count: 0, nextAt: null });
		expect(await waits().nextGather()).toBeNull();
	});

	it('counts what came before it, and is due at its deadline whatever is missing', async () => {
		await happens('opened', A);
		await put();
		await gather();
		expect(await waits().nextGather()).toBe(now + HOUR);
		now += HOUR;
		await gather();
		const [{ resume }] = await claim();
		expect(resume).toMatchObject({ reason: 'deadline' });
		expect(resume.outcomes.map(({ outcome }) => outcome)).toEqual(['opened', 'none']);
	});

	it('gives a wake-up to one at a time, until its lease is over', async () => {
		await ready();
		expect(await Promise.all([claim(), claim()])).toEqual(
			expect.arrayContaining([[], [expect.objectContaining({ secret: SECRET })]]),
		);
		now += WAKE_UP_LEASE_MS - 1;
		expect(await claim()).toEqual([]);
		expect(await waits().waiting('n8n')).toEqual({ count: 1, nextAt: now + 1 });
		opened = await opened.reopen();
		expect(await claim()).toEqual([]);
		now += 1;
		expect(await claim()).toHaveLength(1);
	});

	it('leaves one that is in progress with who has it, for as long as that is said', async () => {
		await ready();
		expect(await claim()).toHaveLength(1);
		for (let minutes = 0; minutes < 60; minutes++) {
			now += WAKE_UP_LEASE_MS - 1;
			await settle('inProgress', 'n8n has it in hand');
			expect(await claim()).toEqual([]);
		}
		expect(await waits().get(ID)).toMatchObject({
			...{ state: 'ready', attempts: 0, lastResult: 'n8n has it in hand' },
		});
		// Said again soon: nothing to write, and nobody to tell.
		const before = await waits().waiting('n8n');
		now += 1;
		await settle('inProgress', 'n8n has it in hand');
		expect(await waits().waiting('n8n')).toEqual(before);
		now += WAKE_UP_LEASE_MS;
		expect(await claim()).toHaveLength(1);
		await settle('resumed', 'the node said so');
		await settle('inProgress', 'n8n has it in hand');
		expect(await state()).toBe('resumed');
	});

	it('tries again, later and later, and gives up only long after the deadline', async () => {
		await ready();
		const ready_at = now;
		const pauses: number[] = [];
		for (let attempt = 1; (await state()) === 'ready' && attempt < 100; attempt++) {
			expect(await claim()).toHaveLength(1);
			await settle('failed', 'n8n is starting up');
			const { nextAt } = await waits().waiting('n8n');
			pauses.push(((nextAt ?? 0) - now) / SECOND);
			now = nextAt ?? 0;
			await gather();
		}
		expect(pauses.slice(0, 10)).toEqual([1, 2, 5, 10, 30, 60, 300, 1800, 1800, 1800]);
		expect(now).toBeGreaterThanOrEqual(ready_at + HOUR + DAY);
		expect(now).toBeLessThan(ready_at + HOUR + DAY + HOUR);
		expect(await waits().get(ID)).toMatchObject({
			...{ state: 'given-up', lastResult: 'n8n is starting up' },
		});
		expect(await claim()).toEqual([]);
		// A late report is still true.
		await settle('resumed', 'late');
		expect(await state()).toBe('resumed');
	});

	it('is given up that nobody pulls for', async () => {
		await ready();
		expect(await waits().nextGather()).toBe(now + HOUR + DAY);
		now += HOUR + DAY;
		await gather();
		expect(await state()).toBe('given-up');
		expect(await waits().nextGather()).toBeNull();
	});

	it('is over when the node says so', async () => {
		await ready();
		await claim();
		await settle('over', 'not waiting any more');
		expect(await state()).toBe('over');
		await settle('failed', 'too late');
		expect(await waits().get(ID)).toMatchObject({ lastResult: 'not waiting any more' });
	});

	it('restarts whatever became of it, with what is known now', async () => {
		await ready();
		for (const outcome of ['resumed', 'over'] as const) {
			await claim();
			await settle(outcome, outcome);
			now += 3 * DAY;
			told.length = 0;
			const started = await waits().restart(ID, now);
			expect(started).toMatchObject({ state: 'ready', attempts: 0 });
			await untilTold('n8n');
			await gather();
			expect(await claim()).toMatchObject([{ secret: SECRET, resume: { reason: 'complete' } }]);
		}
		expect(await waits().restart('wait-of-nobody-at-all', now)).toBeNull();
		await put('wait-0000-0000-0002', {
			messages: [{ messageId: '000000000009', messageType: 'AES' }],
		});
		await happens('received', '000000000009');
		const open = await waits().restart('wait-0000-0000-0002', now);
		expect(open).toMatchObject({ state: 'ready', outcomes: [{ status: 'RECEIVED' }] });
		expect(await claim()).toMatchObject([{ resume: { reason: 'deadline' } }]);
	});

	it('is replaced by another of its name, and removed', async () => {
		await ready();
		expect(await put(ID, { instance: 'other-n8n' })).toMatchObject({ state: 'open' });
		expect(await waits().waiting('n8n')).toMatchObject({ count: 0 });
		await gather();
		expect(await claim('other-n8n')).toHaveLength(1);
		expect(await waits().remove(ID)).toBe(true);
		expect(await waits().remove(ID)).toBe(false);
		expect(await waits().get(ID)).toBeNull();
	});

	it('gathers in bounded steps', async () => {
		for (let n = 0; n < 50; n++) await put(`wait-0000-0000-1${String(n).padStart(3, '0')}`);
		await happens('opened', A, B);
		expect(await waits().gather(now)).toBe(true);
		await gather();
		expect(await waits().claim('n8n', 100, now)).toHaveLength(50);
	});

	it('goes after the retention once it has ended, and not before', async () => {
		const retention = { eventsMs: 30 * DAY };
		await ready();
		now += 31 * DAY;
		while (await opened.store.clean(retention, now));
		expect(await state()).toBe('ready');
		await settle('resumed', 'at last');
		now += 31 * DAY;
		while (await opened.store.clean(retention, now));
		expect(await waits().get(ID)).toBeNull();
	});
});
