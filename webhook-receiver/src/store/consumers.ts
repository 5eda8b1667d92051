import type { BatchSettlement } from '../core/pull-contract.ts';
import type { ConsumerStore, DeadBatches, Take, Taken } from '../pull/consumer-store.ts';
import { IS_OPEN, settleBatches } from './batch-rows.ts';
import { readBatches, replay, retry, retryDead } from './batches.ts';
import { releasedRow } from './consumer-rows.ts';
import { forget, lockConsumer, putConsumer } from './consumer-table.ts';
import { readWaiting } from './delivery-lists.ts';
import type { Engine } from './engine.ts';
import { listConsumers } from './list-consumers.ts';
import { noteForgotten } from './lost.ts';
import { RecentEvents } from './rows.ts';
import { take } from './take.ts';

/**
 * Consumers and their batches. Every change to a consumer locks its row first, so that several
 * receivers can serve its pulls at once.
 */
export class SqlConsumers implements ConsumerStore {
	private readonly database: Engine;
	private readonly recent = new RecentEvents();

	constructor(database: Engine) {
		this.database = database;
	}

	take(request: Take, now: number): Promise<Taken> {
		return this.database.transaction((tx) => take(tx, this.recent, request, now));
	}

	async settle(key: string, holder: string, settle: readonly BatchSettlement[], now: number) {
		if (settle.length === 0) return;
		await this.database.transaction(async (tx) => {
			if ((await lockConsumer(tx, key)) === null) return;
			if (await settleBatches(tx, { key, holder, settle }, now)) tx.news.consumers.add(key);
		});
	}

	release(key: string, holder: string, now: number): Promise<void> {
		return this.database.transaction(async (tx) => {
			const row = await lockConsumer(tx, key);
			if (row === null || row.holder !== holder) return;
			await putConsumer(tx, releasedRow(row, now));
			await tx.rows(
				`UPDATE batches SET due_at = $2, updated_at = $2
				WHERE consumer = $1 AND ${IS_OPEN} AND state = 'in-hand' AND holder = $3`,
				[key, now, holder],
			);
			tx.news.consumers.add(key);
		});
	}

	list(now: number) {
		return listConsumers(this.database, now);
	}

	remove(key: string, now: number): Promise<boolean> {
		return this.database.transaction(async (tx) => {
			const row = await lockConsumer(tx, key);
			if (row === null) return false;
			await noteForgotten(tx, [row], 'an operator had the receiver forget it', now);
			await forget(tx, [key]);
			tx.news.consumers.add(key);
			return true;
		});
	}

	waiting(page: Parameters<ConsumerStore['waiting']>[0]) {
		return readWaiting(this.database, page);
	}

	batches(page: Parameters<ConsumerStore['batches']>[0]) {
		return readBatches(this.database, page);
	}

	retry(id: string, now: number) {
		return this.database.transaction((tx) => retry(tx, id, now));
	}

	retryDead(range: DeadBatches, now: number): Promise<number> {
		return retryDead(this.database, range, now);
	}

	replay(eventId: string, now: number) {
		return this.database.transaction((tx) => replay(tx, this.recent, eventId, now));
	}
}
