import type { BatchSettlement } from '../core/pull-contract.ts';
import type { Page } from '../core/page.ts';
import type { Engine } from '../store/engine.ts';
import { RecentEvents } from '../store/log.ts';
import { IS_OPEN, settleBatches } from './batch-rows.ts';
import { readActivity, readBatches, readBatchesOf, replay, retry, retryDead } from './batches.ts';
import type { BatchPage, DeadBatches } from './batches.ts';
import { noteForgotten } from './clean.ts';
import { forget, lockConsumer, putConsumers, releasedRow } from './consumer-rows.ts';
import type { Take } from './consumer-rows.ts';
import { listConsumers } from './list-consumers.ts';
import type { ConsumerPage } from './list-consumers.ts';
import { take } from './take.ts';

export type Consumers = ReturnType<typeof consumersIn>;

/**
 * Consumers and their batches: the log is the queue. An event is written once, however many consumers
 * want it. A consumer has a position in the log: everything up to it is in a batch, or was not wanted.
 * A batch has its id and its events from the moment the position passes them.
 *
 * - `take` hands out at most `atOnce` batches, including those already in hand.
 * - Events of one message are handed out in order: if the message has an earlier batch that is
 *   queued or in hand, the event waits in a separate batch.
 * - A batch in hand is handed out again when its ack wait ends, or at once to another holder.
 * - A consumer's first pull begins at the end of the log, or with `since`.
 * - Settlements count from any sender, but `inProgress` and `nak` only from the holder that has
 *   the batch in hand. Settled and unknown batches are skipped.
 *
 * Every change to a consumer locks its row first, so that several receivers can serve its pulls at
 * once, and is committed when the call resolves. Times are milliseconds since the epoch.
 */
export function consumersIn(database: Engine) {
	const recent = new RecentEvents();
	return {
		take: (request: Take, now: number) =>
			database.transaction((tx) => take(tx, recent, request, now)),

		/** Settlements without a pull, for a consumer that is no longer pulled. */
		async settle(
			key: string,
			holder: string,
			settle: readonly BatchSettlement[],
			now: number,
		): Promise<void> {
			if (settle.length === 0) return;
			await database.transaction(async (tx) => {
				if ((await lockConsumer(tx, key)) === null) return;
				if ((await settleBatches(tx, { key, holder, settle }, now)).length > 0)
					tx.news.notices.add(`consumer ${key}`);
			});
		},

		/** Releases the consumer if this holder has it: others may pull, and batches in hand are due. */
		release: (key: string, holder: string, now: number): Promise<void> =>
			database.transaction(async (tx) => {
				const row = await lockConsumer(tx, key);
				if (row === null || row.holder !== holder) return;
				await putConsumers(tx, [releasedRow(row, now)]);
				await tx.rows(
					`UPDATE batches SET due_at = $2, updated_at = $2
					WHERE consumer = $1 AND ${IS_OPEN} AND state = 'in-hand' AND holder = $3`,
					[key, now, holder],
				);
				tx.news.notices.add(`consumer ${key}`);
			}),

		/** All, or a page of them: up to the limit, but fewer if they are large. */
		list: (now: number, page?: ConsumerPage) => listConsumers(database, now, page),

		/** Removes it with its batches and records what it will miss; returns whether it existed. */
		remove: (key: string, now: number): Promise<boolean> =>
			database.transaction(async (tx) => {
				const row = await lockConsumer(tx, key);
				if (row === null) return false;
				await noteForgotten(tx, [row], 'an operator had the receiver forget it', now);
				await forget(tx, [key]);
				tx.news.notices.add(`consumer ${key}`);
				return true;
			}),

		batches: (page: BatchPage) => readBatches(database, page),
		batchesOf: (messageId: string, page: Page) => readBatchesOf(database, messageId, page),
		activity: (from: number, spanMs: number) => readActivity(database, from, spanMs),

		/**
		 * Queues a dead or done batch again under a new id; null if there is no such batch, or its
		 * events or consumer are gone.
		 */
		retry: (id: string, now: number) => database.transaction((tx) => retry(tx, id, now)),
		/** Queues dead batches again; returns how many. */
		retryDead: (range: DeadBatches, now: number) => retryDead(database, range, now),
		/** Queues an event for every consumer that wants it now; null if there is no such event. */
		replay: (eventId: string, now: number) =>
			database.transaction((tx) => replay(tx, recent, eventId, now)),
	};
}
