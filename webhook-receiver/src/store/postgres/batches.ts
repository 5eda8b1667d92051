import { isWanted } from '../../match.ts';
import type { BatchRecord, ConsumerStore, DeadBatches } from '../../pull/consumer-store.ts';
import { queuedRow, readWants, replayedRow, toBatchRecord } from '../consumer-rows.ts';
import type { BatchRow, ConsumerRow } from '../consumer-rows.ts';
import { toLoggedEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import { insertBatches } from './batch-rows.ts';
import type { Db } from './connect.ts';
import { notify } from './notify.ts';
import { SCHEMA } from './schema.ts';

// The record of batches, and what an operator brings back.

/** How many dead batches go back into the queue in one transaction. */
export const RETRY_STEP = 500;

export async function readBatches(
	db: Db,
	{ limit, before, state }: Parameters<ConsumerStore['batches']>[0],
): Promise<BatchRecord[]> {
	// As the indexes say it: what is open or dead is little among what is done.
	const isInState = state === null ? 'true' : `state = '${state}'`;
	const rows = await db.rows(
		`SELECT * FROM ${SCHEMA}.batches
		WHERE ${isInState} AND ($1::bigint IS NULL OR number < $1)
		ORDER BY number DESC LIMIT $2`,
		[before, limit],
	);
	return (rows as BatchRow[]).map(toBatchRecord);
}

export async function retry(db: Db, id: string, now: number): Promise<BatchRecord | null> {
	const rows = await db.rows(
		`SELECT * FROM ${SCHEMA}.batches WHERE id = $1 AND state IN ('done', 'dead') FOR UPDATE`,
		[id],
	);
	const [again] = await queueAgain(db, rows as BatchRow[], now);
	return again === undefined ? null : toBatchRecord(again);
}

/** One step, of what follows number `after`; answers how many it queued, and where the next begins. */
export async function retryDead(
	db: Db,
	{ consumer, from, before }: DeadBatches,
	{ after, now }: { after: number; now: number },
): Promise<{ retried: number; next: number | null }> {
	const rows = (await db.rows(
		`SELECT * FROM ${SCHEMA}.batches
		WHERE state = 'dead' AND number > $1 AND ($2::text IS NULL OR consumer = $2)
			AND ($3::bigint IS NULL OR created_at >= $3) AND ($4::bigint IS NULL OR created_at < $4)
		ORDER BY number LIMIT ${RETRY_STEP} FOR UPDATE`,
		[after, consumer, from, before],
	)) as BatchRow[];
	const again = await queueAgain(db, rows, now);
	const next = rows.length < RETRY_STEP ? null : (rows.at(-1)?.number ?? null);
	return { retried: again.length, next };
}

export async function replay(
	db: Db,
	eventId: string,
	now: number,
): Promise<{ consumers: string[] } | null> {
	const rows = await db.rows(
		`SELECT sequence, event FROM ${SCHEMA}.events WHERE id = $1 FOR KEY SHARE`,
		[eventId],
	);
	const row = rows[0] as EventRow | undefined;
	if (row === undefined) return null;
	const logged = toLoggedEvent(row);
	const consumers = (await remaining(db, null))
		.filter((consumer) => isWanted(readWants(consumer), logged.event))
		.map(({ key }) => key);
	await insertBatches(
		db,
		consumers.map((consumer) => replayedRow(consumer, logged, now)),
	);
	await notify(db, 'consumer', consumers);
	return { consumers };
}

/** Settled batches once more, behind all others, but for those whose events or consumer are gone. */
async function queueAgain(db: Db, rows: readonly BatchRow[], now: number): Promise<BatchRow[]> {
	if (rows.length === 0) return [];
	const consumers = await remaining(
		db,
		rows.map(({ consumer }) => consumer),
	);
	const keys = new Set(consumers.map(({ key }) => key));
	const found = (await db.rows(
		`SELECT sequence FROM ${SCHEMA}.events WHERE sequence = ANY($1) FOR KEY SHARE`,
		[rows.flatMap(sequencesOf)],
	)) as Array<Pick<EventRow, 'sequence'>>;
	const present = new Set(found.map(({ sequence }) => sequence));
	const whole = rows.filter(
		(row) => keys.has(row.consumer) && sequencesOf(row).every((one) => present.has(one)),
	);
	const again = whole.map(({ consumer, sequences, messages, size, reason }) =>
		queuedRow({ consumer, sequences, messages, size, reason, now }),
	);
	await db.rows(`DELETE FROM ${SCHEMA}.batches WHERE number = ANY($1)`, [
		whole.map(({ number }) => number),
	]);
	const numbers = await insertBatches(db, again);
	await notify(
		db,
		'consumer',
		again.map(({ consumer }) => consumer),
	);
	return again.map((row, index) => ({ ...row, number: numbers[index] as number }));
}

/** Of these, or of all; they stay until the transaction ends. */
async function remaining(db: Db, keys: readonly string[] | null): Promise<ConsumerRow[]> {
	const rows = await db.rows(
		`SELECT * FROM ${SCHEMA}.consumers WHERE $1::text[] IS NULL OR key = ANY($1)
		ORDER BY key FOR KEY SHARE`,
		[keys],
	);
	return rows as ConsumerRow[];
}

function sequencesOf({ sequences }: Pick<BatchRow, 'sequences'>): number[] {
	return JSON.parse(sequences) as number[];
}
