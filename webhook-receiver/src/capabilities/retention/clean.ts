import type { Learn } from '../../log/learn.ts';
import { reducedRow } from '../../log/record-rows.ts';
import type { RecordRow } from '../../log/record-rows.ts';
import { IS_OPEN } from '../../queue/batch-rows.ts';
import type { BatchRow } from '../../queue/batch-rows.ts';
import { TEST_KEY, awaySince } from '../../queue/consumer-rows.ts';
import type { ConsumerRow } from '../../queue/consumer-rows.ts';
import { forget, noteForgotten } from '../../queue/consumers.ts';
import type { NoteLoss } from '../../queue/consumers.ts';
import type { Db, Transaction } from '../../sql/engine.ts';
import { fitting } from '../../sql/log.ts';
import { CLEAN_AT_ONCE, removeSome } from '../../sql/statements.ts';
import type { Cleaning } from '../../sql/statements.ts';

// What is removed for its age, a bounded number at a time. What a workflow will not get is put on record: nothing
// is lost silently. Each returns whether there may be more.

const TEST_RETENTION_MS = 5 * 60_000;

/** Whether nobody has pulled the consumer for too long. */
function isForgotten(row: ConsumerRow, { before, now }: Cleaning): boolean {
	const away = awaySince(row, now);
	return away !== null && away < (TEST_KEY.test(row.key) ? now - TEST_RETENTION_MS : before);
}

/** Consumers that nobody has pulled for so long, with what is queued for them. */
export async function cleanConsumers(
	db: Transaction,
	cleaning: Cleaning,
	noteLoss: NoteLoss,
): Promise<boolean> {
	const isGone = (row: ConsumerRow) => isForgotten(row, cleaning);
	const rows = (await db.rows<ConsumerRow>('SELECT * FROM consumers')).filter(isGone);
	if (rows.length === 0) return false;
	// A consumer that is being pulled right now is not forgotten.
	const locked = await db.rows<ConsumerRow>(
		`SELECT * FROM consumers WHERE key = ANY($1)
		ORDER BY key LIMIT ${CLEAN_AT_ONCE} FOR UPDATE SKIP LOCKED`,
		[rows.map(({ key }) => key)],
	);
	const gone = locked.filter(isGone);
	const published = gone.filter(({ key }) => !TEST_KEY.test(key));
	const reason = 'it was away for longer than RETENTION';
	await noteForgotten(db, noteLoss, published, reason, cleaning.now);
	await forget(
		db,
		gone.map(({ key }) => key),
	);
	return gone.length === CLEAN_AT_ONCE;
}

/** Settled batches of events. */
export async function cleanBatches(
	db: Transaction,
	{ before, now }: Cleaning,
	noteLoss: NoteLoss,
): Promise<boolean> {
	const where = `wait IS NULL AND state IN ('done', 'dead') AND updated_at < $1`;
	const gone = await removeSome<Pick<BatchRow, 'consumer' | 'state'>>(
		db,
		{ table: 'batches', key: 'number', where, returning: 'consumer, state' },
		before,
	);
	const dead = gone.filter(({ state }) => state === 'dead');
	await noteExpired(
		db,
		noteLoss,
		dead.map(({ consumer }) => consumer),
		now,
	);
	return gone.length === CLEAN_AT_ONCE;
}

/** After dead batches were removed for their age; one entry in `consumers` for each. */
async function noteExpired(
	db: Transaction,
	noteLoss: NoteLoss,
	consumers: readonly string[],
	now: number,
): Promise<void> {
	const reason = 'they were dead for longer than RETENTION';
	const byKey = Map.groupBy(consumers, (key) => key);
	for (const [subject, { length: count }] of byKey) {
		const [workflow = null] = await db.rows<Pick<ConsumerRow, 'name' | 'node' | 'url'>>(
			'SELECT name, node, url FROM consumers WHERE key = $1',
			[subject],
		);
		await noteLoss(db, { subject, workflow, reason, count, events: 0 }, now);
	}
}

/** Events, but for those still to be delivered, however old, also if a person has to say so first. */
export async function cleanEvents(db: Db, { before }: Cleaning): Promise<boolean> {
	const delivered = `WHERE received_at < $1
		AND NOT EXISTS (SELECT 1 FROM consumers AS c WHERE c.position < events.sequence)
		AND sequence NOT IN (
			SELECT element.value::bigint
			FROM (
				SELECT sequences FROM batches WHERE ${IS_OPEN}
				UNION ALL SELECT sequences FROM batches WHERE state = 'dead'
			) AS undone, json_array_elements_text(sequences::json) AS element (value)
		)
		ORDER BY sequence LIMIT ${CLEAN_AT_ONCE}`;
	const where = `sequence IN ${fitting(delivered)}`;
	const gone = await removeSome(db, { table: 'events', key: 'sequence', where }, before);
	// Of large events a step may be a single one.
	return gone.length > 0;
}

/**
 * Reduces the records of letters that are too old for the book, and are not watched any more, to what recognises a
 * late repetition. Removes what has been kept for long enough.
 */
export async function cleanRecords(
	tx: Transaction,
	{ lettersBefore, now }: Cleaning,
	learn: Learn,
): Promise<boolean> {
	const old = await tx.rows<RecordRow>(
		`SELECT * FROM records WHERE began_at < $1 AND next_poll_at IS NULL
		LIMIT ${CLEAN_AT_ONCE} FOR UPDATE SKIP LOCKED`,
		[lettersBefore],
	);
	await learn(
		tx,
		old.map((row) => ({ before: row, row: reducedRow(row, now) })),
		now,
	);
	const where = 'expires_at < $1 AND contact IS NULL';
	const expired = await removeSome(tx, { table: 'records', key: 'id', where }, now);
	return Math.max(old.length, expired.length) === CLEAN_AT_ONCE;
}

/** Keys of events without a letter that count no longer. */
export async function cleanKeys(db: Db, { now }: Cleaning): Promise<boolean> {
	const keys = { table: 'duplicate_keys', key: 'key', where: 'expires_at < $1' };
	return (await removeSome(db, keys, now)).length === CLEAN_AT_ONCE;
}
