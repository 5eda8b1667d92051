import type { ClaimStore } from '../claim/claim-store.ts';
import type { DeliveryEvent } from '../contract.ts';
import type { DuplicateKey } from '../dedup.ts';
import type { ConsumerStore, StoreListener } from '../pull/consumer-store.ts';
import type { WaitStore } from '../wait/wait-store.ts';
import type { WatchStore } from './watches.ts';

/** An event about to be accepted; the store gives it its id and sequence. */
export interface Candidate {
	event: Omit<DeliveryEvent, 'id' | 'sequence'>;
	duplicateKey: DuplicateKey;
}

export interface IngestResult {
	accepted: number;
	duplicates: number;
	/** Of a watched message it has to be asked soon what its status is now. */
	asks?: true;
}

export interface Page {
	limit: number;
	/** Only what is older than this id or sequence. */
	before: number | null;
}

/** What happened in one span of time, which begins `at`. */
export interface Activity {
	at: number;
	events: number;
	/** Batches that were settled: done, or dead. */
	done: number;
	dead: number;
}

export interface RetentionConfig {
	/** Events, settled batches and the place of consumers that are away are kept this long. */
	eventsMs: number;
}

/**
 * Everything the receiver must not forget (design § 7). One contract for all stores: a promise that
 * resolves stands for a durable commit, one that rejects for nothing at all. Times are milliseconds
 * since the epoch.
 */
export interface Store {
	readonly watching: WatchStore;
	/** What executions wait for. */
	readonly waits: WaitStore;
	/** Who sends under which Send Once Key. */
	readonly claims: ClaimStore;
	/** Who gets the events. */
	readonly consumers: ConsumerStore;

	/** Told from then on what is committed, also by other receivers on the same database. One listener. */
	listen(listener: StoreListener): void;

	/** An event of a change that watching saw before is a duplicate, too. */
	ingest(candidates: readonly Candidate[], now: number): Promise<IngestResult>;

	/** Newest first. */
	events(page: Page): Promise<DeliveryEvent[]>;
	/** Of one message, oldest first. */
	eventsOf(messageId: string, limit: number): Promise<DeliveryEvent[]>;

	/** Since `from`, in spans of `spanMs`; spans in which nothing happened are left out. */
	activity(from: number, spanMs: number): Promise<Activity[]>;

	/**
	 * Removes a bounded number of things past their time; answers whether there may be more. Events stay
	 * that are queued, in hand, or not come to yet by a consumer; consumers that nobody has pulled for
	 * the retention go with what waits for them, those for tests after minutes.
	 */
	clean(retention: RetentionConfig, now: number): Promise<boolean>;
	/** Rejects when nothing can be written. */
	check(): Promise<void>;
	close(): Promise<void>;
}

/** The store can't commit (disk full, database gone): nothing was accepted, try again later. */
export class StoreUnavailable extends Error {
	constructor(cause: unknown) {
		super('The store is not able to write at the moment.', { cause });
		this.name = 'StoreUnavailable';
	}
}
