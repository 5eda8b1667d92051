import type { DeliveryEvent } from '../core/event-contract.ts';
import type { Batch, BatchSettlement, StoredConsumer, Wants } from '../core/pull-contract.ts';

/** `queued`: waits for its turn or a retry. `in-hand`: with n8n. `done`, `dead`: for the record. */
export const BATCH_STATES = ['queued', 'in-hand', 'done', 'dead'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** A batch as the record shows it. Times are ISO 8601 UTC. */
export interface BatchRecord {
	id: string;
	/** Increases with each batch, for paging. */
	number: number;
	/** Of a wake-up the queue of its n8n, which is no consumer. */
	consumer: string;
	/** The wait of the execution that it wakes; null for a batch of events. */
	wait: string | null;
	events: number[];
	/** Ids of the letters, consents and customers they are about. */
	messages: string[];
	state: BatchState;
	attempts: number;
	/**
	 * When a queued batch is handed out again, or when the ack wait of one in hand ends; else null.
	 */
	dueAt: string | null;
	/** What n8n said about the last attempt, or null. */
	reason: string | null;
	createdAt: string;
	updatedAt: string;
}

/** One look at the log for a consumer. */
export interface Take {
	key: string;
	name: string;
	node: string;
	url: string | null;
	wants: Wants;
	holder: string;
	/** How long the holder keeps the consumer without pulling again. */
	holdMs: number;
	atOnce: number;
	settle: readonly BatchSettlement[];
	startFromNow: string | null;
	/** Where an unknown consumer begins: with events received from then on; null: at the end. */
	since: number | null;
}

export type Taken =
	| {
			kind: 'taken';
			batches: Batch[];
			/** When something else falls due without new events, or null. */
			wakeAt: number | null;
			/** There may be more right now: the step was bounded. */
			more: boolean;
			/**
			 * The holder has as many in hand as allowed: new events change nothing for it before
			 * `onConsumer` or `wakeAt`.
			 */
			isFull: boolean;
	  }
	/** Another holder has held it since then. */
	| { kind: 'held'; since: number };

export interface BatchPage {
	/** `open` is queued or in hand; null matches any. */
	state: BatchState | 'open' | null;
	/** Null matches any. */
	consumer?: string | null;
	limit: number;
	/** Newest first, before the batch of this number. */
	before?: number | null;
	/** Instead: oldest first, after the batch of this number. */
	after?: number;
}

/** Part of all consumers, in the order of their keys. */
export interface ConsumerPage {
	limit: number;
	/** Only consumers with later keys. */
	after: string;
}

/** Which dead batches to requeue; null matches anything. */
export interface DeadBatches {
	consumer: string | null;
	/** When the batch was made, in milliseconds: from (inclusive), and before. */
	from: number | null;
	before: number | null;
}

/**
 * Consumers and their batches: the log is the queue. An event is written once,
 * however many consumers want it. A consumer has a position in the log: everything up to it is in a
 * batch, or was not wanted. A batch has its id and its events from the moment the position passes
 * them.
 *
 * - `take` hands out at most `atOnce` batches, including those already in hand.
 * - Events of one message are handed out in order: if the message has an earlier batch that is
 *   queued or in hand, the event waits in a separate batch.
 * - A batch in hand is handed out again when its ack wait ends, or at once to another holder.
 * - A consumer's first pull begins at the end of the log, or with `since`.
 * - Settlements count from any sender, but `inProgress` and `nak` only from the holder that has
 *   the batch in hand. Settled and unknown batches are skipped.
 *
 * Everything a call changes is committed when it resolves. Times are milliseconds since the epoch.
 */
export interface ConsumerStore {
	take(take: Take, now: number): Promise<Taken>;
	/** Settlements without a pull, for a consumer that is no longer pulled. */
	settle(
		key: string,
		holder: string,
		settle: readonly BatchSettlement[],
		now: number,
	): Promise<void>;
	/**
	 * Releases the consumer if this holder has it: others may pull, and batches in hand are due.
	 */
	release(key: string, holder: string, now: number): Promise<void>;

	/** All, or a page of them: up to the limit, but fewer if they are large. */
	list(now: number, page?: ConsumerPage): Promise<StoredConsumer[]>;
	/** Removes it with its batches and records what it will miss; returns whether it existed. */
	remove(key: string, now: number): Promise<boolean>;

	batches(page: BatchPage): Promise<BatchRecord[]>;
	/**
	 * Queues a dead or done batch again under a new id; null if there is no such batch, or its
	 * events or consumer are gone.
	 */
	retry(id: string, now: number): Promise<BatchRecord | null>;
	/** Queues dead batches again; returns how many. */
	retryDead(range: DeadBatches, now: number): Promise<number>;
	/** Queues an event for every consumer that wants it now; null if there is no such event. */
	replay(eventId: string, now: number): Promise<{ consumers: string[] } | null>;
}

/**
 * What a store tells the receivers that hold pulls, whichever receiver caused it: at commit, or
 * just before, so that a look right away joins the same commit. A notification is only a reason to
 * look: if the commit fails, the look finds nothing.
 */
export interface StoreListener {
	/** New events, in log order. */
	onEvents(events: readonly DeliveryEvent[]): void;
	/** Something may be due for a consumer: it has room, or a batch was queued. */
	onConsumer(key: string): void;
	/** A wait of this n8n has become ready. */
	onWakeUps(instance: string): void;
	/** There is news for an open wait. */
	onWaits(): void;
	/** There is something new to poll. */
	onPolls(): void;
}
