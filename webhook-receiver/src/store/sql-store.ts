import type { DeliveryEvent } from '../core/event-contract.ts';
import type { StoreListener } from '../pull/consumer-store.ts';
import { SqlAttention } from './attention.ts';
import { Batcher } from './batcher.ts';
import { SqlClaims } from './claims.ts';
import { clean } from './clean.ts';
import { SqlConsumers } from './consumers.ts';
import { readLetter } from './delivery-lists.ts';
import type { Engine } from './engine.ts';
import { erase } from './erase.ts';
import { takeIn } from './intake.ts';
import type { Arrival } from './intake.ts';
import { readActivity, readEvents, readEventsOf } from './records.ts';
import type { Page } from '../core/page.ts';
import type { Seals } from './seals.ts';
import { aheadOf, setBack } from './set-back.ts';
import type {
	Activity,
	Backup,
	Candidate,
	IngestResult,
	LetterRecord,
	Letters,
	RetentionConfig,
	Store,
} from './store.ts';
import type { StoreSpace } from './space.ts';
import { SqlWaits } from './waits.ts';
import { SqlWatches } from './watches.ts';

/** Maximum number of requests stored in one transaction. */
const MOST_TOGETHER = 500;

/** A clock that is set forward and back must not revive an ended session. */
const END_MARGIN_MS = 24 * 3_600_000;

/**
 * How long a request that could not be stored makes the store not ready, if none was stored since: a
 * balancer sends nothing to a receiver that is not ready, and after this time one request may try again.
 */
const OUTAGE_COUNTS_MS = 5_000;

/** The store, written once for both databases (design § 7). */
export class SqlStore implements Store {
	readonly watching: SqlWatches;
	readonly waits: SqlWaits;
	readonly claims: SqlClaims;
	readonly consumers: SqlConsumers;
	readonly attention: SqlAttention;
	private readonly database: Engine;
	private readonly arrivals: Batcher<Arrival, IngestResult>;
	private checking: Promise<void> | null = null;

	constructor(database: Engine, seals: Seals) {
		this.database = database;
		this.watching = new SqlWatches(database);
		this.waits = new SqlWaits(database, seals);
		this.claims = new SqlClaims(database);
		this.consumers = new SqlConsumers(database);
		this.attention = new SqlAttention(database);
		this.arrivals = new Batcher(
			(arrivals) => database.inTurn((tx) => takeIn(tx, database, arrivals)),
			MOST_TOGETHER,
		);
	}

	listen(listener: StoreListener): void {
		this.database.listen(listener);
	}

	ingest(candidates: readonly Candidate[], now: number): Promise<IngestResult> {
		return this.arrivals.add({ candidates, now });
	}

	events(page: Page): Promise<DeliveryEvent[]> {
		return readEvents(this.database, page);
	}

	eventsOf(messageId: string, limit: number): Promise<DeliveryEvent[]> {
		return readEventsOf(this.database, messageId, limit);
	}

	letter(messageId: string, limit: number): Promise<LetterRecord> {
		return readLetter(this.database, messageId, limit);
	}

	activity(from: number, spanMs: number): Promise<Activity[]> {
		return readActivity(this.database, from, spanMs);
	}

	erase(letters: Letters, now: number, expiresAt: number): Promise<string[]> {
		return erase(this.database, letters, now, expiresAt);
	}

	async endSession(session: string, until: number): Promise<void> {
		await this.database.transaction(({ rows }) =>
			rows('INSERT INTO ended_sessions VALUES ($1, $2) ON CONFLICT (session) DO NOTHING', [
				...[session, until + END_MARGIN_MS],
			]),
		);
	}

	async isSessionEnded(session: string): Promise<boolean> {
		const rows = await this.database.rows('SELECT 1 FROM ended_sessions WHERE session = $1', [
			session,
		]);
		return rows.length > 0;
	}

	clean(retention: RetentionConfig, now: number): Promise<boolean> {
		return this.database.transaction((tx) => clean(tx, retention, now));
	}

	aheadOf(now: number): Promise<number> {
		return aheadOf(this.database, now);
	}

	setBack(request: Parameters<Store['setBack']>[0]): Promise<void> {
		return setBack(this.database, request);
	}

	check(): Promise<void> {
		this.checking ??= this.checkOnce().finally(() => (this.checking = null));
		return this.checking;
	}

	space(): Promise<StoreSpace> {
		return this.database.space();
	}

	backup(): Promise<Backup | null> {
		return this.database.backup();
	}

	async close(): Promise<void> {
		await this.arrivals.idle();
		await this.database.close();
	}

	/** A database that has room for a check may have none for an event. */
	private async checkOnce(): Promise<void> {
		await this.database.check();
		this.arrivals.throwAfterOutage(OUTAGE_COUNTS_MS);
	}
}
