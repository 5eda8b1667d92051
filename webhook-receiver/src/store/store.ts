import type { ClaimStore } from '../claim/claim-store.ts';
import type { DeliveryEvent, StoredSubscription, Subscription } from '../contract.ts';
import type { DuplicateKey } from '../dedup.ts';
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
	/** Keys of the subscriptions that have something new to be delivered. */
	subscriptions: string[];
	/** Of a watched message it has to be asked at once what its status is now. */
	asks?: true;
}

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One event on its way to one subscription. */
export interface Delivery {
	id: number;
	subscription: string;
	eventId: string;
	state: DeliveryState;
	attempts: number;
	/** ISO 8601, null unless pending. */
	nextAttemptAt: string | null;
	/** Of the last attempt: the HTTP status, or why there was none. */
	lastResult: string | null;
	createdAt: string;
	updatedAt: string;
}

/** A delivery handed out to be attempted; nobody else gets it until it is settled. */
export interface ClaimedDelivery {
	id: number;
	/** Attempts made before this one. */
	attempts: number;
	event: DeliveryEvent;
}

export type Claim =
	| {
			subscription: Subscription;
			/** To sign with; two while the subscription's secret rotates. */
			secrets: readonly string[];
			deliveries: ClaimedDelivery[];
	  }
	/** Nothing is due; `wakeAt` is when something will be, null if nothing is waiting. */
	| { subscription: null; wakeAt: number | null };

/** How an attempt ended. */
export interface Settlement {
	id: number;
	/** `null`: delivered. A time: try again then. `dead`: no further attempt. */
	next: number | null | 'dead';
	result: string;
}

export interface Page {
	limit: number;
	/** Only what is older than this id or sequence. */
	before: number | null;
}

/** Which dead deliveries to bring back; `null` where anything goes. */
export interface DeadRange {
	subscription: string | null;
	/** By the time the delivery was made, in milliseconds: from, and before. */
	from: number | null;
	before: number | null;
	/** Only later ones than this id: where the step before ended. */
	after: number;
}

export interface RetriedStep {
	retried: number;
	subscriptions: string[];
	/** The id to go on after, or null when all are done. */
	next: number | null;
}

/** What waits and what failed, for one subscription. */
export interface Backlog {
	subscription: string;
	pending: number;
	/** Time of the oldest pending one, in milliseconds. */
	oldestPendingAt: number | null;
	dead: number;
}

/** What happened in one span of time, which begins `at`. */
export interface Activity {
	at: number;
	events: number;
	delivered: number;
	dead: number;
}

export interface RetentionConfig {
	/** Events and their settled deliveries are kept this long. */
	eventsMs: number;
}

/**
 * Everything the receiver must not forget (design § 7). One contract for all stores:
 * - a promise that resolves stands for a durable commit, one that rejects for nothing at all;
 * - an event and its deliveries are committed together or not at all;
 * - claims hand out the events of one message to one subscription in order, one batch at a time;
 * - claims are not durable: after a restart, what was not settled is pending.
 * Times are milliseconds since the epoch.
 */
export interface Store {
	/** How often to look for work that other receivers left behind; null when there can be none. */
	readonly watchMs: number | null;
	readonly watching: WatchStore;
	/** What executions wait for. */
	readonly waits: WaitStore;
	/** Who sends under which Send Once Key. */
	readonly claims: ClaimStore;

	/** An event of a change that watching saw before is a duplicate, too. */
	ingest(candidates: readonly Candidate[], now: number): Promise<IngestResult>;

	/** Idempotent: the same content leaves the subscription, `updatedAt` included, as it is. */
	putSubscription(
		key: string,
		subscription: Subscription,
		now: number,
	): Promise<StoredSubscription>;
	subscription(key: string): Promise<StoredSubscription | null>;
	subscriptions(): Promise<StoredSubscription[]>;
	/**
	 * Ends a subscription; what is pending for it is dead with `reason`. With `url`, only while it
	 * still points there. Answers whether there was one.
	 */
	endSubscription(
		key: string,
		end: { reason: string; url?: string; now: number },
	): Promise<boolean>;

	/** Keys of the subscriptions that have pending deliveries. */
	subscriptionsWithWork(): Promise<string[]>;
	/**
	 * Deliveries that are due, for up to so many requests of `batchSize` each: `requestsOf` cuts them.
	 * It may be fewer than there are.
	 */
	claim(key: string, now: number, requests?: number): Promise<Claim>;
	settle(settlements: readonly Settlement[], now: number): Promise<void>;

	/** Newest first. */
	events(page: Page): Promise<DeliveryEvent[]>;
	/** Of one message, oldest first. */
	eventsOf(messageId: string, limit: number): Promise<DeliveryEvent[]>;
	/** Newest first. */
	deliveries(page: Page & { state: DeliveryState | null }): Promise<Delivery[]>;
	/** Makes a delivery pending again; `null` when there is none, or its subscription has ended. */
	retryDelivery(id: number, now: number): Promise<Delivery | null>;
	/** Makes a bounded number of dead deliveries pending again, oldest first. */
	retryDead(range: DeadRange, now: number): Promise<RetriedStep>;
	/** Delivers an event anew to whoever wants it now; `null` when there is no such event. */
	replayEvent(id: string, now: number): Promise<{ subscriptions: string[] } | null>;

	/** Of every subscription that has pending or dead deliveries. */
	backlog(): Promise<Backlog[]>;
	/** Since `from`, in spans of `spanMs`; spans in which nothing happened are left out. */
	activity(from: number, spanMs: number): Promise<Activity[]>;

	/** Removes a bounded number of things past their time; answers whether there may be more. */
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
