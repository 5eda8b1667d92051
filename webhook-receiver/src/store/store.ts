import type { ClaimStore } from '../claim/claim-store.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import type { DuplicateKey } from '../core/duplicates.ts';
import type { ConsumerStore, StoreListener } from '../pull/consumer-store.ts';
import type { WaitStore } from '../wait/wait-store.ts';
import type { Page } from './page.ts';
import type { WatchStore } from '../watch/watch-store.ts';

/** An event about to be accepted; the store assigns its id and sequence. */
export interface Candidate {
	event: Omit<DeliveryEvent, 'id' | 'sequence'>;
	duplicateKey: DuplicateKey;
}

export interface IngestResult {
	accepted: number;
	duplicates: number;
	/** The watched message's status must be polled soon. */
	asks?: true;
}

/** What happened in one time span, which starts at `at`. */
export interface Activity {
	at: number;
	events: number;
	/** Settled batches: done or dead. */
	done: number;
	dead: number;
}

export interface RetentionConfig {
	/** How long to keep events, settled batches and the position of absent consumers. */
	eventsMs: number;
}

/**
 * Everything the receiver must not forget (design § 7). One contract for all stores: a resolved
 * promise means a durable commit, a rejected one means nothing was stored. Times are milliseconds
 * since the epoch.
 */
export interface Store {
	readonly watching: WatchStore;
	/** What executions are waiting for. */
	readonly waits: WaitStore;
	/** Who may send under which Send Once Key. */
	readonly claims: ClaimStore;
	/** Who gets the events. */
	readonly consumers: ConsumerStore;

	/**
	 * From now on reports every commit, on other receivers of the same database too. One listener.
	 */
	listen(listener: StoreListener): void;

	/** An event for a change that watching has already reported counts as a duplicate. */
	ingest(candidates: readonly Candidate[], now: number): Promise<IngestResult>;

	/** Newest first. */
	events(page: Page): Promise<DeliveryEvent[]>;
	/** Of one message, oldest first. */
	eventsOf(messageId: string, limit: number): Promise<DeliveryEvent[]>;

	/** Remembers until then that something has ended before its time, such as a session. */
	end(name: string, until: number): Promise<void>;
	isEnded(name: string): Promise<boolean>;

	/** Since `from`, in spans of `spanMs`; empty spans are left out. */
	activity(from: number, spanMs: number): Promise<Activity[]>;

	/**
	 * Removes a bounded number of expired things; returns whether there may be more. Keeps events
	 * that are queued, in hand, or not reached by a consumer yet. Consumers that nobody has pulled
	 * for the retention time go with everything queued for them; test consumers go after minutes.
	 */
	clean(retention: RetentionConfig, now: number): Promise<boolean>;
	/**
	 * How far the clock that wrote what waits here was ahead of `now`, in milliseconds: more than 0
	 * only if the clock was set back since.
	 */
	aheadOf(now: number): Promise<number>;
	/**
	 * The clock was set back: leases, holds, pauses and the window for identical bodies end that much
	 * earlier, so that none lasts longer than it would have. Then listeners are told to look. Calling
	 * it again after a failure does no harm: what ends too early is only done again.
	 */
	setBack(setBack: { byMs: number; now: number; dedupWindowMs: number }): Promise<void>;
	/** Rejects when the store can't write. */
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
