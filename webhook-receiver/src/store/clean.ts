import { isForgotten } from './consumer-rows.ts';
import type { ConsumerRow } from './consumer-rows.ts';
import { forget } from './consumer-table.ts';
import type { Db } from './engine.ts';
import type { RetentionConfig } from './store.ts';
import { cleanWaits } from './waits.ts';

/** How many rows of each kind one step removes, so that it never holds up ingest. */
const STEP = 500;

/** Removes settled batches first, then unreferenced events; returns true if there is more. */
export async function clean(db: Db, { eventsMs }: RetentionConfig, now: number): Promise<boolean> {
	const old = now - eventsMs;
	const removed = [
		await cleanConsumers(db, eventsMs, now),
		await remove(db, 'batches', 'number', `state IN ('done', 'dead') AND updated_at < $1`, old),
		await remove(
			db,
			'events',
			'sequence',
			// Events still to be delivered stay, however old.
			`received_at < $1
				AND NOT EXISTS (SELECT 1 FROM consumers AS c WHERE c.position < events.sequence)
				AND sequence NOT IN (
					SELECT element.value::bigint
					FROM batches, json_array_elements_text(sequences::json) AS element (value)
					WHERE state IN ('queued', 'in-hand')
				)`,
			old,
		),
		await remove(db, 'duplicate_keys', 'key', 'expires_at < $1', now),
		await remove(db, 'watches', 'id', 'ended_at < $1', old),
		await cleanWaits(db, old, STEP),
		await remove(
			db,
			'erased',
			'message_id',
			// A wait is told of it when it ends.
			`expires_at < $1
				AND NOT EXISTS (SELECT 1 FROM wait_messages AS w WHERE w.message_id = erased.message_id)`,
			now,
		),
	];
	return removed.includes(STEP);
}

/** Rows locked by others are left for the next run. */
async function remove(db: Db, table: string, key: string, where: string, before: number) {
	const rows = await db.rows(
		`DELETE FROM ${table} WHERE ${key} IN (
			SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${STEP} FOR UPDATE SKIP LOCKED
		) RETURNING 1`,
		[before],
	);
	return rows.length;
}

async function cleanConsumers(db: Db, eventsMs: number, now: number): Promise<number> {
	const isGone = (row: ConsumerRow) => isForgotten(row, eventsMs, now);
	const rows = ((await db.rows('SELECT * FROM consumers')) as ConsumerRow[]).filter(isGone);
	if (rows.length === 0) return 0;
	// A consumer that is being pulled right now is not forgotten.
	const locked = (await db.rows(
		`SELECT * FROM consumers WHERE key = ANY($1) ORDER BY key LIMIT ${STEP} FOR UPDATE SKIP LOCKED`,
		[rows.map(({ key }) => key)],
	)) as ConsumerRow[];
	const gone = locked.filter(isGone).map(({ key }) => key);
	await forget(db, gone);
	return gone.length;
}
