import type { DeliveryEvent, StoredSubscription, Subscription } from '../contract.ts';
import { isExpired } from '../match.ts';
import { Batcher } from './postgres/batcher.ts';
import { claimTurns } from './postgres/claim.ts';
import type { Claimed } from './postgres/claim.ts';
import { PostgresClaims } from './postgres/claims.ts';
import { clean } from './postgres/clean.ts';
import { Database } from './postgres/connect.ts';
import type { Db } from './postgres/connect.ts';
import { fanOut, takeIn } from './postgres/intake.ts';
import type { Arrival } from './postgres/intake.ts';
import { SCHEMA, migrate, waitForOthers } from './postgres/migrations.ts';
import {
	readActivity,
	readBacklog,
	readDeliveries,
	readEvents,
	readEventsOf,
} from './postgres/records.ts';
import { retryDead, retryOne } from './postgres/retry.ts';
import { goOn, settleAll } from './postgres/settle.ts';
import type { Outcome } from './postgres/settle.ts';
import { Turns } from './postgres/turns.ts';
import type { Turn } from './postgres/turns.ts';
import { PostgresWaits } from './postgres/waits.ts';
import { PostgresWatches } from './postgres/watches.ts';
import { toEvent } from './rows.ts';
import type { EventRow } from './rows.ts';
import type {
	Candidate,
	Claim,
	DeadRange,
	Delivery,
	DeliveryState,
	IngestResult,
	Page,
	RetentionConfig,
	Settlement,
	Store,
} from './store.ts';
import { readSubscription, renewed, signingSecrets, toStored } from './stored-subscription.ts';
import type { KeptSubscription, SubscriptionRow } from './stored-subscription.ts';

export interface PostgresOptions {
	/** How long another receiver waits before it takes over what one has in hand. */
	leaseSeconds: number;
	onError: (error: Error) => void;
}

/** How soon to look again for work that another receiver has in hand. */
const LOOK_AGAIN_MS = 250;

/** As the present it makes everything due; who takes a turn early puts it back for later. */
const AT_ONCE = Number.MAX_SAFE_INTEGER;

/** Requests to store and outcomes to settle in one transaction, at most. */
const MOST_TOGETHER = 500;

/** The scale-out store (design § 7): PostgreSQL and pg-boss, several receivers side by side. */
export class PostgresStore implements Store {
	readonly watchMs = 2_000;
	readonly watching: PostgresWatches;
	readonly waits: PostgresWaits;
	readonly claims: PostgresClaims;
	private readonly database: Database;
	private readonly turns: Turns;
	private readonly arrivals: Batcher<Arrival, IngestResult>;
	private readonly outcomes: Batcher<Outcome, void>;
	/** The turns in hand, by the deliveries claimed with them. */
	private readonly held = new Map<number, Turn>();

	static async open(url: string, options: PostgresOptions): Promise<PostgresStore> {
		const store = new PostgresStore(url, options);
		try {
			// pg-boss makes a schema of its own, on other connections: it waits its turn as well.
			await store.database.transaction(async (db) => {
				await waitForOthers(db);
				await migrate(db);
				await store.turns.start();
			});
			return store;
		} catch (error) {
			await store.turns.stop();
			await store.database.close();
			throw new Error(`The database can't be used: ${reason(error)}`, { cause: error });
		}
	}

	private constructor(url: string, options: PostgresOptions) {
		this.database = new Database(url, options.onError);
		this.turns = new Turns(this.database, options);
		this.watching = new PostgresWatches(this.database, this.turns, () => this.waits.onNews());
		this.waits = new PostgresWaits(this.database, options.leaseSeconds * 1000);
		this.claims = new PostgresClaims(this.database);
		const inTransaction =
			<In, Out>(work: (db: Db, turns: Turns, items: In[]) => Promise<Out>) =>
			(items: In[]) =>
				this.database.transaction((db) => work(db, this.turns, items));
		this.arrivals = new Batcher(inTransaction(takeIn), MOST_TOGETHER);
		const settle = inTransaction(settleAll);
		this.outcomes = new Batcher<Outcome, void>(async (items) => {
			await settle(items);
			return items.map(() => undefined);
		}, MOST_TOGETHER);
	}

	async ingest(candidates: readonly Candidate[], now: number): Promise<IngestResult> {
		const result = await this.arrivals.add({ candidates, now });
		if (result.accepted > 0) this.waits.onNews();
		return result;
	}

	async putSubscription(
		key: string,
		subscription: Subscription,
		now: number,
	): Promise<StoredSubscription> {
		await this.turns.open(key);
		return this.database.transaction(async (db) => {
			const { rows } = await db.executeSql(
				`SELECT * FROM ${SCHEMA}.subscriptions WHERE key = $1 FOR UPDATE`,
				[key],
			);
			const present = rows[0] as SubscriptionRow | undefined;
			const row = renewed(present, key, subscription, now);
			if (row === null) return toStored(present as SubscriptionRow);
			await db.executeSql(
				`INSERT INTO ${SCHEMA}.subscriptions VALUES ($1, $2, $3, $4)
				ON CONFLICT (key) DO UPDATE SET subscription = $2, updated_at = $4`,
				[key, row.subscription, row.created_at, row.updated_at],
			);
			return toStored(row);
		});
	}

	async subscription(key: string): Promise<StoredSubscription | null> {
		const row = await this.subscriptionRow(key);
		return row ? toStored(row) : null;
	}

	async subscriptions(): Promise<StoredSubscription[]> {
		const rows = await this.database.query(`SELECT * FROM ${SCHEMA}.subscriptions ORDER BY key`);
		return (rows as SubscriptionRow[]).map(toStored);
	}

	endSubscription(
		key: string,
		end: { reason: string; url?: string; now: number },
	): Promise<boolean> {
		return this.database.transaction(async (db) => {
			const { rows } = await db.executeSql(
				`SELECT * FROM ${SCHEMA}.subscriptions WHERE key = $1 FOR UPDATE`,
				[key],
			);
			const row = rows[0] as SubscriptionRow | undefined;
			if (!row || (end.url !== undefined && readSubscription(row).url !== end.url)) return false;
			await db.executeSql(`DELETE FROM ${SCHEMA}.subscriptions WHERE key = $1`, [key]);
			await db.executeSql(
				`UPDATE ${SCHEMA}.deliveries SET state = 'dead', last_result = $2, updated_at = $3
				WHERE state = 'pending' AND subscription = $1`,
				[key, end.reason, end.now],
			);
			return true;
		});
	}

	async subscriptionsWithWork(): Promise<string[]> {
		const rows = await this.database.query(
			`SELECT key FROM ${SCHEMA}.subscriptions s WHERE EXISTS (
				SELECT 1 FROM ${SCHEMA}.deliveries d WHERE d.state = 'pending' AND d.subscription = s.key
			)`,
		);
		return (rows as Array<{ key: string }>).map(({ key }) => key);
	}

	async claim(key: string, now: number): Promise<Claim> {
		const row = await this.subscriptionRow(key);
		const subscription = row && readSubscription(row);
		if (!subscription || isExpired(subscription, now)) return { subscription: null, wakeAt: null };
		const most = subscription.batchSize;
		for (;;) {
			const taken = await this.turns.take(key, most);
			if (taken.length === 0) return { subscription: null, wakeAt: await this.nextDue(key, now) };
			const batch = await claimTurns(this.database, this.turns, taken, { now, most });
			// None when the turns were left over from a subscription that had ended: on to the next.
			if (batch.length > 0) return this.hold(subscription, batch, now);
		}
	}

	async settle(settlements: readonly Settlement[], now: number): Promise<void> {
		const held = settlements
			.map(({ id }) => this.held.get(id))
			.filter((turn) => turn !== undefined);
		await this.outcomes.add({ settlements, turns: [...new Set(held)], now });
		for (const { id } of settlements) this.held.delete(id);
	}

	events(page: Page): Promise<DeliveryEvent[]> {
		return readEvents(this.database, page);
	}

	eventsOf(messageId: string, limit: number): Promise<DeliveryEvent[]> {
		return readEventsOf(this.database, messageId, limit);
	}

	deliveries(page: Page & { state: DeliveryState | null }): Promise<Delivery[]> {
		return readDeliveries(this.database, page);
	}

	retryDelivery(id: number, now: number): Promise<Delivery | null> {
		return this.database.transaction((db) => retryOne(db, this.turns, id, now));
	}

	retryDead(range: DeadRange, now: number) {
		return this.database.transaction((db) => retryDead(db, this.turns, range, now));
	}

	backlog() {
		return readBacklog(this.database);
	}

	activity(from: number, spanMs: number) {
		return readActivity(this.database, from, spanMs);
	}

	replayEvent(id: string, now: number): Promise<{ subscriptions: string[] } | null> {
		return this.database.transaction(async (db) => {
			const { rows } = await db.executeSql(
				`SELECT sequence, event FROM ${SCHEMA}.events WHERE id = $1`,
				[id],
			);
			const row = rows[0] as EventRow | undefined;
			if (!row) return null;
			const reached = await fanOut(db, this.turns, [toEvent(row)], now);
			return { subscriptions: reached.get(row.sequence) ?? [] };
		});
	}

	clean(retention: RetentionConfig, now: number): Promise<boolean> {
		return this.database.transaction((db) => clean(db, retention, now));
	}

	async check(): Promise<void> {
		await this.database.query(`UPDATE ${SCHEMA}.heartbeat SET beat = beat + 1`);
	}

	/** Hands on what it still has in hand, rather than have others wait for the lease to run out. */
	async close(): Promise<void> {
		await Promise.all([this.arrivals.idle(), this.outcomes.idle()]);
		const held = [...new Set(this.held.values())];
		try {
			await this.database.transaction(async (db) => {
				await this.turns.lock(db, held);
				await goOn(db, this.turns, await this.turns.end(db, held), AT_ONCE);
			});
		} catch {
			// The lease runs out by itself.
		}
		await this.turns.stop();
		await this.database.close();
	}

	private hold(subscription: KeptSubscription, batch: readonly Claimed[], now: number): Claim {
		for (const { delivery, turn } of batch) this.held.set(delivery.id, turn);
		const deliveries = batch.map(({ delivery }) => delivery);
		return { subscription, secrets: signingSecrets(subscription, now), deliveries };
	}

	private async subscriptionRow(key: string): Promise<SubscriptionRow | undefined> {
		const rows = await this.database.query(`SELECT * FROM ${SCHEMA}.subscriptions WHERE key = $1`, [
			key,
		]);
		return rows[0] as SubscriptionRow | undefined;
	}

	/** When something of a subscription may be due; others may have it in hand and lose it. */
	private async nextDue(key: string, now: number): Promise<number | null> {
		const rows = await this.database.query(
			`SELECT min(next_attempt_at) AS at FROM ${SCHEMA}.deliveries
			WHERE state = 'pending' AND subscription = $1`,
			[key],
		);
		const { at } = rows[0] as { at: number | null };
		return at === null ? null : Math.max(at, now + LOOK_AGAIN_MS);
	}
}

/** The innermost reason; the URL with its password is never part of it. */
function reason(error: unknown): string {
	const { cause, message, code } = error as { cause?: unknown; message?: string; code?: string };
	if (cause !== undefined) return reason(cause);
	return message || code || 'for no stated reason';
}
