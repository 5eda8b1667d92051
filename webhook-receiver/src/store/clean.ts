import { TEST_KEY, isForgotten } from './consumer-rows.ts';
import type { BatchRow, ConsumerRow } from './consumer-rows.ts';
import { forget } from './consumer-table.ts';
import type { Db } from './engine.ts';
import { fitting } from './log.ts';
import { noteExpired, noteForgotten } from './lost.ts';
import type { RetentionConfig } from './store.ts';
import { removeWaits } from './erase-from-waits.ts';
import { cleanRecords } from './record-rows.ts';

/** How many rows of each kind one step removes, so that it never holds up ingest. */
const STEP = 500;

/** Removes settled batches first, then unreferenced events; returns true if there is more. */
export async function clean(db: Db, { eventsMs }: RetentionConfig, now: number): Promise<boolean> {
	const old = now - eventsMs;
	// Events still to be delivered stay, however old.
	const delivered = `WHERE received_at < $1
		AND NOT EXISTS (SELECT 1 FROM consumers AS c WHERE c.position < events.sequence)
		AND sequence NOT IN (
			SELECT element.value::bigint
			FROM batches, json_array_elements_text(sequences::json) AS element (value)
			WHERE state IN ('queued', 'in-hand')
		)
		ORDER BY sequence LIMIT ${STEP}`;
	const consumers = await cleanConsumers(db, eventsMs, now);
	const batches = await cleanBatches(db, old, now);
	const isDelivered = `sequence IN ${fitting(delivered)}`;
	const events = await removed(db, 'events', 'sequence', isDelivered, old, 'message_id');
	const ids = (events as Array<{ message_id: string | null }>).map((row) => row.message_id);
	const messageIds = [...new Set(ids)].filter((id) => id !== null);
	const others = [
		await cleanRecords(db, { messageIds, before: old, now, most: STEP }),
		await remove(db, 'duplicate_keys', 'key', 'expires_at < $1', now),
		await remove(db, 'attention', 'id', 'is_told AND ended_at < $1', old),
	];
	// Of events, a step may be a single one.
	return events.length > 0 || [consumers, batches, ...others].includes(STEP);
}

async function cleanBatches(db: Db, old: number, now: number): Promise<number> {
	const where = `state IN ('done', 'dead') AND updated_at < $1`;
	const gone = (await removed(
		db,
		'batches',
		'number',
		where,
		old,
		'consumer, state, wait',
	)) as Array<Pick<BatchRow, 'consumer' | 'state' | 'wait'>>;
	await removeWaits(
		db,
		gone.flatMap(({ wait }) => wait ?? []),
	);
	// That an execution was not woken was told when the wake-up was given up.
	const dead = gone.filter(({ state, wait }) => state === 'dead' && wait === null);
	await noteExpired(
		db,
		dead.map(({ consumer }) => consumer),
		now,
	);
	return gone.length;
}

async function remove(db: Db, table: string, key: string, where: string, before: number) {
	return (await removed(db, table, key, where, before)).length;
}

/** Rows locked by others are left for the next run. */
async function removed(
	db: Db,
	table: string,
	key: string,
	where: string,
	before: number,
	returning = '1',
) {
	return db.rows(
		`DELETE FROM ${table} WHERE ${key} IN (
			SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${STEP} FOR UPDATE SKIP LOCKED
		) RETURNING ${returning}`,
		[before],
	);
}

async function cleanConsumers(db: Db, eventsMs: number, now: number): Promise<number> {
	const isGone = (row: ConsumerRow) => isForgotten(row, eventsMs, now);
	const rows = (await db.rows<ConsumerRow>('SELECT * FROM consumers')).filter(isGone);
	if (rows.length === 0) return 0;
	// A consumer that is being pulled right now is not forgotten.
	const locked = await db.rows<ConsumerRow>(
		`SELECT * FROM consumers WHERE key = ANY($1) ORDER BY key LIMIT ${STEP} FOR UPDATE SKIP LOCKED`,
		[rows.map(({ key }) => key)],
	);
	const gone = locked.filter(isGone);
	const published = gone.filter(({ key }) => !TEST_KEY.test(key));
	await noteForgotten(db, published, 'it was away for longer than RETENTION', now);
	await forget(
		db,
		gone.map(({ key }) => key),
	);
	return gone.length;
}
