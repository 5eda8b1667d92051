import type { DeliveryEvent } from '../contract.ts';
import type { StoreListener } from '../pull/consumer-store.ts';
import { Batcher } from './postgres/batcher.ts';
import { PostgresClaims } from './postgres/claims.ts';
import { clean } from './postgres/clean.ts';
import { Database } from './postgres/connect.ts';
import { PostgresConsumers } from './postgres/consumers.ts';
import { Feed } from './postgres/feed.ts';
import { takeIn } from './postgres/intake.ts';
import type { Arrival } from './postgres/intake.ts';
import { BEGIN_WRITING, endOfLog } from './postgres/log.ts';
import { readActivity, readEvents, readEventsOf } from './postgres/records.ts';
import { SCHEMA, migrate } from './postgres/schema.ts';
import { PostgresWaits } from './postgres/waits.ts';
import { PostgresWatches } from './postgres/watches.ts';
import type { Candidate, IngestResult, Page, RetentionConfig, Store } from './store.ts';

export interface PostgresOptions {
	/** Of connections that nobody waits for. */
	onError: (error: Error) => void;
}

/** Ingest has connections of its own: a thousand pulls that look into the log never keep it waiting. */
const FOR_INGEST = { connections: 3, patienceMs: 3_000 };
const FOR_ALL_ELSE = { connections: 8, patienceMs: 10_000 };

/** Requests to store in one transaction, at most. */
const MOST_TOGETHER = 500;

/** The scale-out store (design § 7): PostgreSQL, several receivers side by side. */
export class PostgresStore implements Store {
	readonly watching: PostgresWatches;
	readonly waits: PostgresWaits;
	readonly claims: PostgresClaims;
	readonly consumers: PostgresConsumers;
	private readonly database: Database;
	private readonly intake: Database;
	private readonly feed: Feed;
	private readonly arrivals: Batcher<Arrival, IngestResult>;

	static async open(url: string, { onError }: PostgresOptions): Promise<PostgresStore> {
		const database = new Database(url, { ...FOR_ALL_ELSE, onError });
		const intake = new Database(url, { ...FOR_INGEST, onError });
		try {
			await database.transaction(migrate);
			const feed = new Feed(database, await endOfLog(database), onError);
			return new PostgresStore(database, intake, feed);
		} catch (error) {
			await database.close();
			await intake.close();
			throw new Error(`The database can't be used: ${reason(error)}`, { cause: error });
		}
	}

	private constructor(database: Database, intake: Database, feed: Feed) {
		this.database = database;
		this.intake = intake;
		this.feed = feed;
		this.watching = new PostgresWatches(database);
		this.waits = new PostgresWaits(database);
		this.claims = new PostgresClaims(database);
		this.consumers = new PostgresConsumers(database);
		const store = (arrivals: Arrival[]) =>
			intake.transaction((db) => takeIn(db, arrivals), BEGIN_WRITING);
		this.arrivals = new Batcher(store, MOST_TOGETHER);
	}

	listen(listener: StoreListener): void {
		this.feed.listen(listener);
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

	activity(from: number, spanMs: number) {
		return readActivity(this.database, from, spanMs);
	}

	clean(retention: RetentionConfig, now: number): Promise<boolean> {
		return this.database.transaction((db) => clean(db, retention, now));
	}

	check(): Promise<void> {
		return this.intake.check(`UPDATE ${SCHEMA}.heartbeat SET beat = beat + 1`);
	}

	async close(): Promise<void> {
		await Promise.all([this.arrivals.idle(), this.feed.stop()]);
		await Promise.all([this.database.close(), this.intake.close()]);
	}
}

/** The innermost reason; the URL with its password is never part of it. */
function reason(error: unknown): string {
	const { cause, message, code } = error as { cause?: unknown; message?: string; code?: string };
	if (cause !== undefined) return reason(cause);
	return message || code || 'for no stated reason';
}
