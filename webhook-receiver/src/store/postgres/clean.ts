import { isForgotten } from '../consumer-rows.ts';
import type { ConsumerRow } from '../consumer-rows.ts';
import type { RetentionConfig } from '../store.ts';
import type { Db } from './connect.ts';
import { forget } from './consumers.ts';
import { SCHEMA } from './schema.ts';
import { cleanWaits } from './waits.ts';

/** How many rows of each kind one step removes, so that it never holds up ingest. */
const STEP = 500;

/** Settled batches first, then events that nothing refers to any more; true if there is more. */
export async function clean(db: Db, retention: RetentionConfig, now: number): Promise<boolean> {
	const old = now - retention.eventsMs;
	const removed = [
		await cleanConsumers(db, retention, now),
		await remove(db, 'batches', 'number', `state IN ('done', 'dead') AND updated_at < $1`, old),
		await remove(
			db,
			'events',
			'sequence',
			// What is still to go out stays, however old.
			`received_at < $1
				AND NOT EXISTS (
					SELECT 1 FROM ${SCHEMA}.consumers c WHERE (c.xid, c.position) < (events.xid, sequence)
				)
				AND sequence NOT IN (
					SELECT jsonb_array_elements_text(sequences::jsonb)::bigint FROM ${SCHEMA}.batches
					WHERE state IN ('queued', 'in-hand')
				)`,
			old,
		),
		await remove(db, 'duplicate_keys', 'key', 'expires_at < $1', now),
		await remove(db, 'watches', 'id', 'ended_at < $1', old),
		await cleanWaits(db, old, STEP),
	];
	return removed.includes(STEP);
}

/** What somebody else is at is left for the next time. */
async function remove(db: Db, table: string, key: string, where: string, before: number) {
	const rows = await db.rows(
		`DELETE FROM ${SCHEMA}.${table} WHERE ${key} IN (
			SELECT ${key} FROM ${SCHEMA}.${table} WHERE ${where} LIMIT ${STEP} FOR UPDATE SKIP LOCKED
		) RETURNING 1`,
		[before],
	);
	return rows.length;
}

async function cleanConsumers(db: Db, { eventsMs }: RetentionConfig, now: number): Promise<number> {
	const rows = (await db.rows(`SELECT * FROM ${SCHEMA}.consumers`)) as ConsumerRow[];
	const keys = rows.filter((row) => isForgotten(row, eventsMs, now)).map(({ key }) => key);
	if (keys.length === 0) return 0;
	// One that is pulled just now is not forgotten.
	const locked = (await db.rows(
		`SELECT * FROM ${SCHEMA}.consumers WHERE key = ANY($1) ORDER BY key LIMIT ${STEP}
		FOR UPDATE SKIP LOCKED`,
		[keys],
	)) as ConsumerRow[];
	const gone = locked.filter((row) => isForgotten(row, eventsMs, now)).map(({ key }) => key);
	await forget(db, gone);
	return gone.length;
}
