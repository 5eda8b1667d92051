// One contract, both stores (design § 7). Times are passed in; what PostgreSQL itself measures is
// moved by `wait`.
import { join } from 'node:path';
import type { Subscription } from '../../../webhook-receiver/src/contract.ts';
import { duplicateKey } from '../../../webhook-receiver/src/dedup.ts';
import { normalise } from '../../../webhook-receiver/src/normalise.ts';
import { PostgresStore } from '../../../webhook-receiver/src/store/postgres.ts';
import { SqliteStore } from '../../../webhook-receiver/src/store/sqlite.ts';
import type { Candidate, Claim, Store } from '../../../webhook-receiver/src/store/store.ts';
import { SUBSCRIPTION_SECRET, cleanUp, temporaryFolder } from './harness.ts';
import { query, startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';

const HOUR = 3_600_000;
const SUBSCRIPTION: Subscription = {
	url: 'http://127.0.0.1:9/',
	events: ['*'],
	secret: SUBSCRIPTION_SECRET,
	batchSize: 1,
	expiresAt: null,
};

let postgres: PostgresServer;
beforeAll(async () => {
	postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());

interface Opened {
	store: Store;
	/** The same store again, as after a restart. */
	reopen(): Promise<Store>;
	/** Lets time pass for what the store measures itself. */
	wait(milliseconds: number): Promise<void>;
}

async function openSqlite(): Promise<Opened> {
	const file = join(temporaryFolder(), 'receiver.sqlite');
	const store = new SqliteStore(file);
	const reopen = async () => {
		await store.close();
		return new SqliteStore(file);
	};
	return { store, reopen, wait: async () => undefined };
}

async function openPostgres(): Promise<Opened> {
	const url = await postgres.freshDatabase();
	const open = () => PostgresStore.open(url, { leaseSeconds: 30, onError: () => undefined });
	const store = await open();
	const reopen = async () => {
		await store.close();
		return open();
	};
	const wait = async (milliseconds: number) => {
		const earlier = `start_after - interval '${milliseconds} milliseconds'`;
		await query(url, `UPDATE registered_delivery_jobs.job SET start_after = ${earlier}`);
	};
	return { store, reopen, wait };
}

describe.each([
	['SQLite', openSqlite],
	['PostgreSQL', openPostgres],
])('%s', (_, open) => {
	const stores: Store[] = [];
	let now: number;
	beforeEach(() => {
		now = Date.now();
	});
	afterEach(async () => {
		for (const store of stores.splice(0)) await store.close();
		await cleanUp();
	});
	async function opened(more: Partial<Subscription> = {}) {
		const one = await open();
		stores.push(one.store);
		await one.store.putSubscription('flow', { ...SUBSCRIPTION, ...more }, now);
		return {
			...one,
			async reopen() {
				stores.length = 0;
				const store = await one.reopen();
				stores.push(store);
				return store;
			},
		};
	}
	const candidate = (raw: object): Candidate => {
		const normalised = normalise(raw);
		const receivedAt = new Date(now).toISOString();
		const dedup = { bodyWindowMs: 600_000, keyRetentionMs: 30 * 24 * HOUR };
		return {
			event: { ...normalised.event, receivedAt },
			duplicateKey: duplicateKey(normalised, dedup),
		};
	};
	const ingest = (store: Store, ...raws: object[]) => store.ingest(raws.map(candidate), now);
	const aes = (state: string, messageId: number, more = {}) => ({
		...{ event: `aes_${state}`, messageId },
		...more,
	});
	const claimed = (claim: Claim) => ('deliveries' in claim ? claim.deliveries : []);
	const statuses = (claim: Claim) => claimed(claim).map(({ event }) => event.status);
	const settle = (store: Store, claim: Claim, next: number | null | 'dead', result = '200') =>
		store.settle(
			claimed(claim).map(({ id }) => ({ id, next, result })),
			now,
		);

	it('[EVNT-05][R] stores an event with its deliveries, once', async () => {
		const { store } = await opened();
		const first = await ingest(store, { id: 'e1', event: 'aes_sent' }, aes('opened', 1));
		expect(first).toEqual({ accepted: 2, duplicates: 0, subscriptions: ['flow'] });
		const again = await ingest(store, { id: 'e1', event: 'aes_sent' });
		expect(again).toEqual({ accepted: 0, duplicates: 1, subscriptions: [] });
		const events = await store.events({ limit: 10, before: null });
		expect(events.map(({ type }) => type)).toEqual(['tracked_mail.opened', 'tracked_mail.sent']);
		const [later, earlier] = events;
		expect(later.sequence).toBeGreaterThan(earlier.sequence);
		const deliveries = await store.deliveries({ limit: 10, before: null, state: 'pending' });
		expect(deliveries.map(({ eventId }) => eventId)).toEqual([later.id, earlier.id]);
	});

	it('[EVNT-05][R] takes one of many that arrive at once, together or apart', async () => {
		const { store } = await opened();
		const one = { id: 'e1', event: 'aes_sent' };
		const answers = await Promise.all(Array.from({ length: 50 }, () => ingest(store, one, one)));
		const accepted = answers.reduce((sum, answer) => sum + answer.accepted, 0);
		expect(accepted).toBe(1);
		expect(await store.events({ limit: 10, before: null })).toHaveLength(1);
	});

	it('[STAT-05][R] a delivery after a bounce is new, in one request or in several', async () => {
		const { store } = await opened();
		const steps = ['sent', 'received', 'undelivered', 'received', 'received'];
		const together = await ingest(store, ...steps.map((state) => aes(state, 1)));
		expect(together).toMatchObject({ accepted: 4, duplicates: 1 });
		const apart = [];
		for (const state of steps) apart.push((await ingest(store, aes(state, 2))).accepted);
		expect(apart).toEqual([1, 1, 1, 1, 0]);
	});

	it('[EVNT-03][R] keeps what no database likes: the character 0 and half characters', async () => {
		const { store } = await opened();
		const raw = { event: 'odd\u0000name', text: '\ud800 é 😀' };
		expect(await ingest(store, raw)).toMatchObject({ accepted: 1 });
		expect((await store.events({ limit: 1, before: null }))[0].raw).toEqual(raw);
	});

	it('[STAT-05][R] hands out the events of one message in order, one at a time', async () => {
		const { store } = await opened();
		await ingest(store, aes('sent', 1), aes('received', 1), aes('sent', 2));
		const first = await store.claim('flow', now);
		const other = await store.claim('flow', now);
		expect([statuses(first), statuses(other)]).toEqual([['SENT'], ['SENT']]);
		expect(statuses(await store.claim('flow', now))).toEqual([]);
		await ingest(store, aes('opened', 1));
		expect(statuses(await store.claim('flow', now))).toEqual([]);
		await settle(store, first, null);
		const second = await store.claim('flow', now);
		expect(statuses(second)).toEqual(['RECEIVED']);
		expect(claimed(second)[0].event.messageId).toBe('000000000001');
		await settle(store, second, null);
		expect(statuses(await store.claim('flow', now))).toEqual(['OPENED']);
	});

	it('events without a message go side by side', async () => {
		const { store } = await opened();
		await ingest(store, { event: 'a' }, { event: 'b' });
		expect(claimed(await store.claim('flow', now))).toHaveLength(1);
		expect(claimed(await store.claim('flow', now))).toHaveLength(1);
	});

	it('claims for several requests at once, a message for one of them', async () => {
		const { store } = await opened();
		await ingest(store, aes('sent', 1), aes('received', 1), aes('sent', 2), { event: 'a' });
		const inHand: Claim[] = [];
		for (let claim = await store.claim('flow', now, 5); claim.subscription !== null; ) {
			inHand.push(claim);
			claim = await store.claim('flow', now, 5);
		}
		const messages = inHand.flatMap(claimed).map(({ event }) => event.messageId);
		expect(messages.sort()).toEqual(['000000000001', '000000000002', null]);
		expect(inHand.flatMap(statuses)).not.toContain('RECEIVED');
	});

	it('a subscription that changes, or ends, does so for the very next event', async () => {
		const { store } = await opened();
		const reached = async () =>
			(await ingest(store, { event: 'a', n: Math.random() })).subscriptions;
		expect(await reached()).toEqual(['flow']);
		await store.putSubscription('more', { ...SUBSCRIPTION, events: ['unknown'] }, now);
		expect(await reached()).toEqual(['flow', 'more']);
		await store.putSubscription('more', { ...SUBSCRIPTION, events: ['lre.failed'] }, now);
		expect(await reached()).toEqual(['flow']);
		await store.endSubscription('flow', { reason: 'gone', now });
		expect(await reached()).toEqual([]);
		await store.putSubscription(
			'brief',
			{ ...SUBSCRIPTION, expiresAt: new Date(now).toISOString() },
			now,
		);
		await store.clean({ eventsMs: HOUR }, now);
		expect(await store.claim('brief', now)).toEqual({ subscription: null, wakeAt: null });
	});

	it('batches up to batchSize, each message in order', async () => {
		const { store } = await opened({ batchSize: 3 });
		await ingest(store, aes('sent', 1), aes('opened', 1), aes('sent', 2), aes('opened', 2));
		const seen: Record<string, unknown[]> = {};
		for (let turn = 0; turn < 4; turn++) {
			const claim = await store.claim('flow', now);
			expect(claimed(claim).length).toBeLessThanOrEqual(3);
			for (const { event } of claimed(claim)) {
				(seen[event.messageId ?? ''] ??= []).push(event.status);
			}
			await settle(store, claim, null);
		}
		expect(seen).toEqual({
			'000000000001': ['SENT', 'OPENED'],
			'000000000002': ['SENT', 'OPENED'],
		});
	});

	it('tries again when it is time, followers waiting behind, attempts counted', async () => {
		const { store, wait } = await opened();
		await ingest(store, aes('sent', 1), aes('opened', 1));
		await settle(store, await store.claim('flow', now), now + HOUR, '503');
		const none = await store.claim('flow', now);
		expect(none).toMatchObject({ subscription: null });
		expect((none as { wakeAt: number }).wakeAt).toBe(now + HOUR);
		expect(await store.deliveries({ limit: 1, before: null, state: null })).toMatchObject([
			{ attempts: 0, nextAttemptAt: new Date(now + HOUR).toISOString() },
		]);
		now += HOUR;
		await wait(HOUR);
		const again = await store.claim('flow', now);
		expect(claimed(again)).toMatchObject([{ attempts: 1, event: { status: 'SENT' } }]);
		await settle(store, again, null);
		expect(statuses(await store.claim('flow', now))).toEqual(['OPENED']);
	});

	it('what is dead holds up nothing, and comes back when asked', async () => {
		const { store } = await opened();
		await ingest(store, aes('sent', 1), aes('opened', 1));
		const first = await store.claim('flow', now);
		await settle(store, first, 'dead', '400');
		const second = await store.claim('flow', now);
		expect(statuses(second)).toEqual(['OPENED']);
		await settle(store, second, null);
		const [{ id }] = claimed(first);
		expect(await store.retryDelivery(id, now)).toMatchObject({ id, state: 'pending', attempts: 0 });
		expect(claimed(await store.claim('flow', now))).toMatchObject([{ id, attempts: 0 }]);
		expect(await store.retryDelivery(9_999, now)).toBeNull();
	});

	it('brings back dead ones in bounded steps, by span and subscription', async () => {
		const { store } = await opened({ batchSize: 500 });
		await store.putSubscription('other', { ...SUBSCRIPTION, events: ['lre.failed'] }, now);
		await ingest(store, ...Array.from({ length: 620 }, (_, n) => aes('sent', n + 1)));
		await ingest(store, { event: 'lre_failed', messageId: 900 });
		for (const key of ['flow', 'flow', 'other']) {
			await settle(store, await store.claim(key, now), 'dead', '400');
		}
		const range = { subscription: null, from: null, before: null, after: 0 };
		expect(await store.retryDead({ ...range, before: now }, now)).toMatchObject({ retried: 0 });
		const other = await store.retryDead({ ...range, subscription: 'other', from: now }, now);
		expect(other).toEqual({ retried: 1, subscriptions: ['other'], next: null });
		const step = await store.retryDead(range, now);
		expect(step).toMatchObject({ retried: 500, subscriptions: ['flow'] });
		const rest = await store.retryDead({ ...range, after: step.next ?? 0 }, now);
		expect(rest).toMatchObject({ retried: 121, next: null });
		expect(claimed(await store.claim('flow', now))).toHaveLength(500);
	});

	it('replays an event to whoever wants it now', async () => {
		const { store } = await opened({ events: ['tracked_mail.opened'] });
		await ingest(store, aes('sent', 1));
		const [{ id }] = await store.events({ limit: 1, before: null });
		expect(await store.replayEvent(id, now)).toEqual({ subscriptions: [] });
		await store.putSubscription('flow', SUBSCRIPTION, now);
		expect(await store.replayEvent(id, now)).toEqual({ subscriptions: ['flow'] });
		expect(claimed(await store.claim('flow', now))).toMatchObject([{ event: { id } }]);
		expect(await store.replayEvent('evt_none', now)).toBeNull();
	});

	it('ends a subscription with what waits for it, if it still points there', async () => {
		const { store } = await opened();
		await ingest(store, aes('sent', 1));
		const end = { reason: 'gone', now };
		expect(await store.endSubscription('flow', { ...end, url: 'http://elsewhere/' })).toBe(false);
		expect(await store.endSubscription('flow', { ...end, url: SUBSCRIPTION.url })).toBe(true);
		expect(await store.endSubscription('flow', end)).toBe(false);
		expect(await store.claim('flow', now)).toEqual({ subscription: null, wakeAt: null });
		const dead = await store.deliveries({ limit: 10, before: null, state: 'dead' });
		expect(dead).toMatchObject([{ lastResult: 'gone' }]);
		expect((await ingest(store, aes('opened', 1))).subscriptions).toEqual([]);
		// Registered anew, what comes from now on arrives; what is dead stays so.
		await store.putSubscription('flow', SUBSCRIPTION, now);
		await ingest(store, aes('opened', 2));
		expect(statuses(await store.claim('flow', now))).toEqual(['OPENED']);
	});

	it('keeps subscriptions, changes only what changed, signs with both secrets in between', async () => {
		const { store } = await opened();
		const created = await store.subscription('flow');
		now += 1000;
		expect(await store.putSubscription('flow', SUBSCRIPTION, now)).toEqual(created);
		const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
		const changed = await store.putSubscription('flow', { ...SUBSCRIPTION, secret }, now);
		expect(changed).toMatchObject({ createdAt: created?.createdAt });
		expect(changed.secretFingerprint).not.toBe(created?.secretFingerprint);
		expect(JSON.stringify(await store.subscriptions())).not.toMatch(/whsec_/);
		await ingest(store, aes('sent', 1), aes('sent', 2));
		expect(await store.claim('flow', now)).toMatchObject({
			secrets: [secret, SUBSCRIPTION_SECRET],
		});
		expect(await store.claim('flow', now + 24 * HOUR)).toMatchObject({ secrets: [secret] });
	});

	it('goes on after a restart with what was not settled', async () => {
		const { store, reopen } = await opened();
		await ingest(store, aes('sent', 1), aes('opened', 1), aes('sent', 2));
		await settle(store, await store.claim('flow', now), null);
		await store.claim('flow', now);
		const again = await reopen();
		expect(await again.subscriptionsWithWork()).toEqual(['flow']);
		const rest = [await again.claim('flow', now), await again.claim('flow', now)];
		expect(rest.flatMap(statuses).sort()).toEqual(['OPENED', 'SENT']);
		expect((await ingest(again, aes('sent', 1))).duplicates).toBe(1);
	});

	it('tells what waits, what failed and what happened when', async () => {
		const { store } = await opened();
		await ingest(store, aes('sent', 1), aes('sent', 2), aes('sent', 3));
		await settle(store, await store.claim('flow', now), null);
		await settle(store, await store.claim('flow', now), 'dead', '400');
		expect(await store.backlog()).toEqual([
			{ subscription: 'flow', pending: 1, oldestPendingAt: now, dead: 1 },
		]);
		const at = Math.floor(now / HOUR) * HOUR;
		expect(await store.activity(now - HOUR, HOUR)).toEqual([
			{ at, events: 3, delivered: 1, dead: 1 },
		]);
		expect(await store.activity(now + HOUR, HOUR)).toEqual([]);
	});

	it('cleans in small steps, never what is still to be delivered', async () => {
		const { store } = await opened({ events: ['tracked_mail.opened'] });
		await ingest(store, ...Array.from({ length: 700 }, (_, n) => aes('sent', n + 1)));
		await ingest(store, aes('opened', 1));
		now += 31 * 24 * HOUR;
		const retention = { eventsMs: 30 * 24 * HOUR };
		expect(await store.clean(retention, now)).toBe(true);
		while (await store.clean(retention, now));
		const events = await store.events({ limit: 500, before: null });
		expect(events.map(({ type }) => type)).toEqual(['tracked_mail.opened']);
		expect((await ingest(store, aes('sent', 1))).accepted).toBe(1);
	});

	it('removes expired subscriptions with what waits for them', async () => {
		const { store } = await opened({ expiresAt: new Date(now + HOUR).toISOString() });
		await ingest(store, aes('sent', 1));
		now += HOUR;
		expect(claimed(await store.claim('flow', now))).toEqual([]);
		await store.clean({ eventsMs: 30 * 24 * HOUR }, now);
		expect(await store.subscriptions()).toEqual([]);
		expect(await store.deliveries({ limit: 5, before: null, state: 'dead' })).toHaveLength(1);
	});

	it('says that it can write', async () => {
		const { store } = await opened();
		await expect(store.check()).resolves.toBeUndefined();
	});
});
