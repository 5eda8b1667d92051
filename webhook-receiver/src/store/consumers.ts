import type { ConsumerStore } from '../pull/consumer-store.ts';
import { IS_OPEN, settleBatches } from './batch-rows.ts';
import { readBatches, replay, retry, retryDead } from './batches.ts';
import { releasedRow } from './consumer-rows.ts';
import { forget, lockConsumer, putConsumers } from './consumer-table.ts';
import type { Engine } from './engine.ts';
import { listConsumers } from './list-consumers.ts';
import { noteForgotten } from './lost.ts';
import { RecentEvents } from './rows.ts';
import { take } from './take.ts';

/**
 * Consumers and their batches. Every change to a consumer locks its row first, so that several
 * receivers can serve its pulls at once.
 */
export function consumersIn(database: Engine): ConsumerStore {
	const recent = new RecentEvents();
	return {
		take: (request, now) => database.transaction((tx) => take(tx, recent, request, now)),

		async settle(key, holder, settle, now) {
			if (settle.length === 0) return;
			await database.transaction(async (tx) => {
				if ((await lockConsumer(tx, key)) === null) return;
				if ((await settleBatches(tx, { key, holder, settle }, now)).length > 0)
					tx.news.notices.add(`consumer ${key}`);
			});
		},

		release: (key, holder, now) =>
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

		list: (now, page) => listConsumers(database, now, page),

		remove: (key, now) =>
			database.transaction(async (tx) => {
				const row = await lockConsumer(tx, key);
				if (row === null) return false;
				await noteForgotten(tx, [row], 'an operator had the receiver forget it', now);
				await forget(tx, [key]);
				tx.news.notices.add(`consumer ${key}`);
				return true;
			}),

		batches: (page) => readBatches(database, page),
		retry: (id, now) => database.transaction((tx) => retry(tx, id, now)),
		retryDead: (range, now) => retryDead(database, range, now),
		replay: (eventId, now) => database.transaction((tx) => replay(tx, recent, eventId, now)),
	};
}
