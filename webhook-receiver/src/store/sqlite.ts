import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryEvent, StoredSubscription, Subscription } from '../contract.ts';
import { storedKey } from '../dedup.ts';
import { fitting } from '../deliver/requests.ts';
import { newEventId } from '../event-id.ts';
import { isExpired, wants } from '../match.ts';
import { retriedStep, toActivity, toBacklog, toDelivery, toEvent } from './rows.ts';
import type { ActivityRow, BacklogRow, DeliveryRow, EventRow } from './rows.ts';
import { SqliteClaims } from './sqlite/claims.ts';
import { GroupCommit } from './sqlite/group-commit.ts';
import { migrate } from './sqlite/migrations.ts';
import { openExclusively } from './sqlite/open.ts';
import { prepareStatements } from './sqlite/statements.ts';
import { SqliteWaits } from './sqlite/waits.ts';
import { SqliteWatches } from './sqlite/watches.ts';
import type {
	Activity,
	Backlog,
	Candidate,
	Claim,
	DeadRange,
	Delivery,
	DeliveryState,
	IngestResult,
	Page,
	RetentionConfig,
	RetriedStep,
	Settlement,
	Store,
} from './store.ts';
import { readSubscription, renewed, signingSecrets, toStored } from './stored-subscription.ts';
import type { KeptSubscription, SubscriptionRow } from './stored-subscription.ts';

/** How many rows of each kind one call of `clean` removes, so that it never holds up ingest. */
const CLEAN_STEP = 500;

/** How many dead deliveries one call of `retryDead` brings back. */
const RETRY_STEP = 500;

/** The embedded store (design § 7): one file, one process, WAL, `synchronous=FULL`. */
export class SqliteStore implements Store {
	readonly watchMs = null;
	readonly watching: SqliteWatches;
	readonly waits: SqliteWaits;
	readonly claims: SqliteClaims;
	private readonly database: DatabaseSync;
	private readonly commits: GroupCommit;
	private readonly sql: ReturnType<typeof prepareStatements>;
	private known: ReadonlyMap<string, KeptSubscription> | null = null;

	constructor(file: string) {
		this.database = openExclusively(file);
		migrate(this.database);
		this.commits = new GroupCommit(this.database);
		this.sql = prepareStatements(this.database);
		this.waits = new SqliteWaits(this.database, this.commits);
		this.claims = new SqliteClaims(this.database, this.commits);
		this.watching = new SqliteWatches(this.database, this.commits, (event, now) => {
			const sequence = this.insertEvent(event, now);
			return this.fanOut(this.allSubscriptions(), { ...event, sequence }, now);
		});
	}

	ingest(candidates: readonly Candidate[], now: number): Promise<IngestResult> {
		return this.commits.write(() => {
			const active = this.allSubscriptions();
			const reached = new Set<string>();
			let accepted = 0;
			let asks = false as boolean;
			for (const candidate of candidates) {
				if (!this.isFirst(candidate, now)) continue;
				const merged = this.watching.merge(candidate, now);
				asks ||= merged.ask;
				if (!merged.isNew) continue;
				accepted++;
				const event = { id: newEventId(), ...candidate.event };
				const sequence = this.insertEvent(event, now);
				for (const key of this.fanOut(active, { ...event, sequence }, now)) reached.add(key);
			}
			const duplicates = candidates.length - accepted;
			return { accepted, duplicates, subscriptions: [...reached], ...(asks && { asks }) };
		});
	}

	putSubscription(
		key: string,
		subscription: Subscription,
		now: number,
	): Promise<StoredSubscription> {
		return this.changeSubscriptions(() => {
			const present = this.sql.subscription.get(key) as SubscriptionRow | undefined;
			const row = renewed(present, key, subscription, now);
			if (row === null) return toStored(present as SubscriptionRow);
			this.sql.putSubscription.run(key, row.subscription, row.created_at, row.updated_at);
			return toStored(row);
		});
	}

	async subscription(key: string): Promise<StoredSubscription | null> {
		const row = this.sql.subscription.get(key) as SubscriptionRow | undefined;
		return row ? toStored(row) : null;
	}

	async subscriptions(): Promise<StoredSubscription[]> {
		return (this.sql.subscriptions.all() as unknown as SubscriptionRow[]).map(toStored);
	}

	endSubscription(
		key: string,
		end: { reason: string; url?: string; now: number },
	): Promise<boolean> {
		return this.changeSubscriptions(() => {
			const row = this.sql.subscription.get(key) as SubscriptionRow | undefined;
			if (!row || (end.url !== undefined && readSubscription(row).url !== end.url)) return false;
			this.sql.removeSubscription.run(key);
			this.sql.buryAll.run({ key, reason: end.reason, now: end.now });
			return true;
		});
	}

	async subscriptionsWithWork(): Promise<string[]> {
		const rows = this.sql.subscriptionsWithWork.all() as Array<{ subscription: string }>;
		return rows.map((row) => row.subscription);
	}

	async claim(key: string, now: number, requests = 1): Promise<Claim> {
		const subscription = this.allSubscriptions().get(key);
		if (!subscription || isExpired(subscription, now)) return { subscription: null, wakeAt: null };
		const { batchSize } = subscription;
		const next = this.sql.claimable.all(key, requests * batchSize) as unknown as ClaimableRow[];
		const ready = next.filter((delivery) => delivery.next_attempt_at <= now);
		if (ready.length === 0) {
			return { subscription: null, wakeAt: next[0]?.next_attempt_at ?? null };
		}
		const due = fitting(ready, batchSize, ({ message_id }) => message_id);
		for (const { id, message_id } of due) this.sql.hold.run(id, key, message_id);
		const deliveries = due.map((row) => ({
			id: row.id,
			attempts: row.attempts,
			event: toEvent(row),
		}));
		return { subscription, secrets: signingSecrets(subscription, now), deliveries };
	}

	settle(settlements: readonly Settlement[], now: number): Promise<void> {
		return this.commits.write(() => {
			for (const { id, next, result } of settlements) {
				if (next === null) this.sql.markDelivered.run({ id, result, now });
				else if (next === 'dead') this.sql.markDead.run({ id, result, now });
				else this.postpone({ id, at: next, result, now });
				this.sql.letGo.run(id);
			}
		});
	}

	async events(page: Page): Promise<DeliveryEvent[]> {
		const rows = this.sql.events.all(page.before ?? Number.MAX_SAFE_INTEGER, page.limit);
		return (rows as unknown as EventRow[]).map(toEvent);
	}

	async eventsOf(messageId: string, limit: number): Promise<DeliveryEvent[]> {
		return (this.sql.eventsOf.all(messageId, limit) as unknown as EventRow[]).map(toEvent);
	}

	async deliveries(page: Page & { state: DeliveryState | null }): Promise<Delivery[]> {
		const before = page.before ?? Number.MAX_SAFE_INTEGER;
		const rows =
			page.state === null
				? this.sql.deliveries.all(before, page.limit)
				: this.sql.deliveriesInState.all(page.state, before, page.limit);
		return (rows as unknown as DeliveryRow[]).map(toDelivery);
	}

	retryDelivery(id: number, now: number): Promise<Delivery | null> {
		return this.commits.write(() => {
			const row = this.sql.delivery.get(id) as DeliveryRow | undefined;
			if (!row || !this.sql.subscription.get(row.subscription)) return null;
			this.sql.revive.run({ id, now });
			return toDelivery(this.sql.delivery.get(id) as unknown as DeliveryRow);
		});
	}

	retryDead({ after, ...range }: DeadRange, now: number): Promise<RetriedStep> {
		return this.commits.write(() => {
			const rows = this.sql.deadInRange.all({ ...range, after, limit: RETRY_STEP });
			const dead = rows as unknown as Array<{ id: number; subscription: string }>;
			for (const { id } of dead) this.sql.revive.run({ id, now });
			return retriedStep(dead, RETRY_STEP);
		});
	}

	async backlog(): Promise<Backlog[]> {
		return toBacklog(this.sql.backlog.all() as unknown as BacklogRow[]);
	}

	async activity(from: number, spanMs: number): Promise<Activity[]> {
		return toActivity(this.sql.activity.all({ from, span: spanMs }) as unknown as ActivityRow[]);
	}

	replayEvent(id: string, now: number): Promise<{ subscriptions: string[] } | null> {
		return this.commits.write(() => {
			const row = this.sql.event.get(id) as EventRow | undefined;
			if (!row) return null;
			return { subscriptions: this.fanOut(this.allSubscriptions(), toEvent(row), now) };
		});
	}

	clean(retention: RetentionConfig, now: number): Promise<boolean> {
		return this.changeSubscriptions(() => {
			const old = now - retention.eventsMs;
			const removed = [
				this.sql.cleanDeliveries.run(old, CLEAN_STEP),
				this.sql.cleanEvents.run(old, CLEAN_STEP),
				this.sql.cleanDuplicateKeys.run(now, CLEAN_STEP),
			].map(({ changes }) => Number(changes));
			removed.push(this.watching.clean(old, CLEAN_STEP), this.waits.clean(old, CLEAN_STEP));
			for (const row of this.sql.subscriptions.all() as unknown as SubscriptionRow[]) {
				if (!isExpired(readSubscription(row), now)) continue;
				this.sql.removeSubscription.run(row.key);
				this.sql.buryAll.run({ key: row.key, reason: 'the subscription expired', now });
			}
			return removed.includes(CLEAN_STEP);
		});
	}

	check(): Promise<void> {
		return this.commits.write(() => {
			this.sql.fillProbe.run();
			this.sql.emptyProbe.run();
		});
	}

	async close(): Promise<void> {
		this.commits.flush();
		this.database.close();
	}

	/** Takes the event's duplicate key, unless somebody has it. */
	private isFirst({ event, duplicateKey }: Candidate, now: number): boolean {
		const bounce =
			duplicateKey.renewedByBounce && event.messageId !== null
				? (this.sql.lastBounce.get(event.messageId) as { sequence: number | null })
				: null;
		const key = storedKey(duplicateKey, bounce?.sequence ?? null);
		const taken = this.sql.takeKey.run(key, now + duplicateKey.windowMs, now);
		return Number(taken.changes) === 1;
	}

	private insertEvent(event: Omit<DeliveryEvent, 'sequence'>, now: number): number {
		const { id, type, messageId } = event;
		const inserted = this.sql.insertEvent.run(id, type, messageId, now, JSON.stringify(event));
		this.waits.noteEvent(messageId, now);
		return Number(inserted.lastInsertRowid);
	}

	/** One pending delivery for each subscription that wants the event; answers their keys. */
	private fanOut(
		subscriptions: ReadonlyMap<string, Subscription>,
		event: DeliveryEvent,
		now: number,
	): string[] {
		const keys = [...subscriptions]
			.filter(([, subscription]) => wants(subscription, event, now))
			.map(([key]) => key);
		const { sequence, messageId } = event;
		this.sql.insertDeliveries.run(JSON.stringify(keys), sequence, messageId, now);
		return keys;
	}

	/** Followers of the same message wait at least as long, which keeps them in order. */
	private postpone(attempt: { id: number; at: number; result: string; now: number }): void {
		this.sql.markFailed.run(attempt);
		this.sql.postponeFollowers.run({ id: attempt.id });
	}

	/** As read last, since every event asks for all of them. */
	private allSubscriptions(): ReadonlyMap<string, KeptSubscription> {
		if (this.known === null) {
			const rows = this.sql.subscriptions.all() as unknown as SubscriptionRow[];
			this.known = new Map(rows.map((row) => [row.key, readSubscription(row)]));
		}
		return this.known;
	}

	/** What was read is forgotten within the transaction, and again when it is over, or undone. */
	private changeSubscriptions<T>(work: () => T): Promise<T> {
		const forget = () => {
			this.known = null;
		};
		const changed = this.commits.write(() => {
			const result = work();
			forget();
			return result;
		});
		return changed.finally(forget);
	}
}

interface ClaimableRow extends EventRow {
	id: number;
	attempts: number;
	message_id: string | null;
	next_attempt_at: number;
}
