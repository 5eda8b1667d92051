import type { BatchSettlement, StoredConsumer } from '../../core/pull-contract.ts';
import type {
	BatchState,
	ConsumerStore,
	DeadBatches,
	Take,
	Taken,
} from '../../pull/consumer-store.ts';
import { releasedRow } from '../consumer-rows.ts';
import { readBatches, replay, retry, retryDead } from './batches.ts';
import { lockConsumer, writeConsumer } from './consumer-row.ts';
import { listConsumers } from './list-consumers.ts';
import type { Database, Db } from './connect.ts';
import { notify } from './notify.ts';
import { SCHEMA } from './schema.ts';
import { settleBatches, take } from './take.ts';

/**
 * Consumers and their batches in the scale-out store. Whoever changes something of a consumer locks
 * its row first, so that its pulls may come to several receivers at once.
 */
export class PostgresConsumers implements ConsumerStore {
	private readonly database: Database;

	constructor(database: Database) {
		this.database = database;
	}

	take(asked: Take, now: number): Promise<Taken> {
		return this.database.transaction((db) => take(db, asked, now));
	}

	async settle(
		key: string,
		holder: string,
		settle: readonly BatchSettlement[],
		now: number,
	): Promise<void> {
		if (settle.length === 0) return;
		await this.database.transaction(async (db) => {
			if ((await lockConsumer(db, key)) === null) return;
			if (await settleBatches(db, { key, holder, settle }, now))
				await notify(db, 'consumer', [key]);
		});
	}

	release(key: string, holder: string, now: number): Promise<void> {
		return this.database.transaction(async (db) => {
			const row = await lockConsumer(db, key);
			if (row === null || row.holder !== holder) return;
			await writeConsumer(db, { ...row, ...releasedRow(row, now) });
			await db.rows(
				`UPDATE ${SCHEMA}.batches SET due_at = $2
				WHERE consumer = $1 AND state = 'in-hand' AND holder = $3`,
				[key, now, holder],
			);
			await notify(db, 'consumer', [key]);
		});
	}

	list(now: number): Promise<StoredConsumer[]> {
		return listConsumers(this.database, now);
	}

	remove(key: string): Promise<boolean> {
		return this.database.transaction(async (db) => {
			if ((await lockConsumer(db, key)) === null) return false;
			await forget(db, [key]);
			await notify(db, 'consumer', [key]);
			return true;
		});
	}

	batches(page: { limit: number; before: number | null; state: BatchState | null }) {
		return readBatches(this.database, page);
	}

	retry(id: string, now: number) {
		return this.database.transaction((db) => retry(db, id, now));
	}

	/** In steps: when one fails, those before it have been made. */
	async retryDead(range: DeadBatches, now: number): Promise<number> {
		let retried = 0;
		for (let after: number | null = 0; after !== null; ) {
			const from: number = after;
			const step = await this.database.transaction((db) =>
				retryDead(db, range, { after: from, now }),
			);
			retried += step.retried;
			after = step.next;
		}
		return retried;
	}

	replay(eventId: string, now: number) {
		return this.database.transaction((db) => replay(db, eventId, now));
	}
}

/** Removes consumers with what they had before them; what was done stays on record. */
export async function forget(db: Db, keys: readonly string[]): Promise<void> {
	await db.rows(`DELETE FROM ${SCHEMA}.consumers WHERE key = ANY($1)`, [keys]);
	await db.rows(`DELETE FROM ${SCHEMA}.batches WHERE consumer = ANY($1) AND state <> 'done'`, [
		keys,
	]);
}
