import type { StoreSpace } from './space.ts';
import type { Backup } from './engine.ts';
import type { ClaimStore } from '../claim/claim-store.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import type { Mark } from '../core/mark.ts';
import type { NewEvent } from '../core/records.ts';
import { HttpError } from '../core/http-error.ts';
import type { BatchRecord, ConsumerStore, StoreListener } from '../pull/consumer-store.ts';
import type { AttentionStore } from '../attention/attention-store.ts';
import type { StoredWait } from '../core/wait-contract.ts';
import type { Waits } from './waits.ts';
import type { Page, WaitPage } from '../core/page.ts';
import type { Watches } from './watches.ts';

/** An event about to be accepted; the store assigns its id and sequence. */
export interface Candidate {
	event: NewEvent;
	/** What it is recognised by. */
	mark: Mark;
	/** How long one counts that is recognised by its content alone. */
	windowMs: number;
}

export interface IngestResult {
	accepted: number;
	duplicates: number;
}

/** What happened in one time span, which starts at `at`. */
export interface Activity {
	at: number;
	events: number;
	/** Settled batches: done or dead. */
	done: number;
	dead: number;
}

/** What became of a letter in n8n. */
export interface LetterRecord {
	/** Newest first. */
	deliveries: BatchRecord[];
	/** Null unless it was erased; until then nothing of it is stored. */
	erasedUntil: number | null;
}

/** Which letters: one by its id, or all that were sent with this reference. */
export type Letters =
	| { messageId: string }
	| { fileReference: string }
	| { customerReference: string };

export interface RetentionConfig {
	/** How long to keep events, settled batches and the position of absent consumers. */
	eventsMs: number;
}

/**
 * Everything the receiver must not forget. One contract for all stores: a resolved
 * promise means a durable commit, a rejected one means nothing was stored. Times are milliseconds
 * since the epoch.
 */
export interface Store {
	readonly watching: Watches;
	/** What executions are waiting for. */
	readonly waits: Waits;
	/** Who may send under which Send Once Key. */
	readonly claims: ClaimStore;
	/** Who gets the events. */
	readonly consumers: ConsumerStore;
	/** What needs an operator. */
	readonly attention: AttentionStore;

	/**
	 * From now on reports every commit, on other receivers of the same database too. One listener.
	 */
	listen(listener: StoreListener): void;

	/**
	 * An event of a change that the letter's record has counts as a duplicate.
	 *
	 * @param bytes how large the request was
	 */
	ingest(candidates: readonly Candidate[], now: number, bytes?: number): Promise<IngestResult>;

	/** Newest first: up to the limit, but fewer if they are large. */
	events(page: Page): Promise<DeliveryEvent[]>;
	/** Of one message, oldest first, after a sequence; likewise. */
	eventsOf(messageId: string, limit: number, after?: number): Promise<DeliveryEvent[]>;
	/** `before` the number of a delivery. */
	letter(messageId: string, page: Page): Promise<LetterRecord>;

	/** Without outcomes. */
	listWaits(page: WaitPage): Promise<StoredWait[]>;

	/** Since `from`, in spans of `spanMs`; empty spans are left out. */
	activity(from: number, spanMs: number): Promise<Activity[]>;

	/**
	 * Erases everything known of letters: their events and records, and what batches, waits and
	 * claims have of them. What still arrives of them until `expiresAt` is
	 * not stored. If it rejects, part of it may be done; a repetition does the rest.
	 *
	 * @returns the ids of the letters, in order
	 */
	erase(letters: Letters, now: number, expiresAt: number): Promise<string[]>;

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
	 * The clock was set back: pauses between polls end that much earlier, so that none lasts longer
	 * than it would have. Calling it again after a failure does no harm: what ends too early is only
	 * done again.
	 */
	setBack(setBack: { byMs: number; now: number }): Promise<void>;
	/** Rejects when the store can't write or recently failed to. At most one check runs at a time. */
	check(): Promise<void>;
	space(): Promise<StoreSpace>;
	/** A consistent copy of the embedded store; null with PostgreSQL, whose server makes its own. */
	backup(): Promise<Backup | null>;
	close(): Promise<void>;
}

/** The store can't commit (disk full, database gone): nothing was accepted, try again later. */
export class StoreUnavailable extends HttpError {
	constructor(cause: unknown) {
		const message = 'The store is not able to write at the moment.';
		super(503, 'store-unavailable', message, undefined, { cause });
		this.name = 'StoreUnavailable';
	}
}
