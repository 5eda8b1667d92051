import type { DeliveryEvent } from '../contract.ts';
import type { Batch, BatchSettlement, StoredConsumer, Wants } from '../core/pull-contract.ts';

/** `queued`: waits for its turn, or to come again. `in-hand`: with n8n. `done`, `dead`: for the record. */
export const BATCH_STATES = ['queued', 'in-hand', 'done', 'dead'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** A batch as the record shows it. Times are ISO 8601 UTC. */
export interface BatchRecord {
	id: string;
	/** Rises with each batch, for paging. */
	number: number;
	consumer: string;
	events: number[];
	state: BatchState;
	attempts: number;
	/** When a queued one comes again, or the ack wait of one in hand ends; else null. */
	dueAt: string | null;
	/** What n8n said of the last attempt, or null. */
	reason: string | null;
	createdAt: string;
	updatedAt: string;
}

/** One look at the log for a consumer. */
export interface Take {
	key: string;
	name: string;
	wants: Wants;
	holder: string;
	/** How long the consumer stays this holder's without further word. */
	holdMs: number;
	atOnce: number;
	settle: readonly BatchSettlement[];
	startAnew: string | null;
}

export type Taken =
	| {
			kind: 'taken';
			batches: Batch[];
			/** When something else becomes due by itself, or null. */
			wakeAt: number | null;
			/** There may be more at once: the step was bounded. */
			more: boolean;
			/**
			 * The holder has as many in hand as it may: new events make no difference to it until `onConsumer`
			 * says so, or `wakeAt` has come.
			 */
			isFull: boolean;
	  }
	/** Another holder has it, since then. */
	| { kind: 'held'; since: number };

/** Which dead batches to bring back; null where anything goes. */
export interface DeadBatches {
	consumer: string | null;
	/** By the time the batch was made, in milliseconds: from, and before. */
	from: number | null;
	before: number | null;
}

/**
 * Consumers and their batches: the log is the queue (design § 7, Stores). An event is written once,
 * whoever wants it. A consumer has a position in the log: everything up to it is in a batch, or was not
 * wanted. A batch has its id and its events from the moment the position passes them.
 *
 * - `take` hands out at most `atOnce` batches together with those that are in hand already.
 * - Events of one message are handed out in order: an event whose message has an earlier batch that is
 *   queued or in hand waits in a batch of its own.
 * - A batch in hand comes again when its ack wait ends, or at once to another holder.
 * - The first pull of a consumer begins at the end of the log.
 * - Settlements count whoever brings them, but `inProgress` and `nak` only from the holder that has the
 *   batch in hand; a batch that is settled, or that nobody knows, is passed over.
 *
 * Everything a call changes is committed when it resolves. Times are milliseconds since the epoch.
 */
export interface ConsumerStore {
	take(take: Take, now: number): Promise<Taken>;
	/** Settlements by themselves, of a consumer that is not pulled any more. */
	settle(
		key: string,
		holder: string,
		settle: readonly BatchSettlement[],
		now: number,
	): Promise<void>;
	/** Frees the consumer, if this holder has it: others may pull, and what it had in hand is due. */
	release(key: string, holder: string, now: number): Promise<void>;

	list(now: number): Promise<StoredConsumer[]>;
	/** With its batches; answers whether there was one. */
	remove(key: string): Promise<boolean>;

	/** Newest first; `before` is a batch's number. */
	batches(page: {
		limit: number;
		before: number | null;
		state: BatchState | null;
	}): Promise<BatchRecord[]>;
	/** Queues a dead or done batch once more, under a new id; null when there is no such batch, or its events or consumer are gone. */
	retry(id: string, now: number): Promise<BatchRecord | null>;
	/** Queues dead batches once more; answers how many. */
	retryDead(range: DeadBatches, now: number): Promise<number>;
	/** Queues an event for every consumer that wants it now; null when there is no such event. */
	replay(eventId: string, now: number): Promise<{ consumers: string[] } | null>;
}

/** What a store tells whoever holds pulls, once it is committed; at whichever receiver it happened. */
export interface StoreListener {
	/** New events, in the order of the log. */
	onEvents(events: readonly DeliveryEvent[]): void;
	/** Something of a consumer may have become due: room, a batch that was queued. */
	onConsumer(key: string): void;
	/** A wait of this n8n has become ready. */
	onWakeUps(instance: string): void;
}
