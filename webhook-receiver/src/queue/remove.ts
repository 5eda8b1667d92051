import type { ConsumerView } from '../core/pull-contract.ts';
import type { Db, Engine, Transaction } from '../sql/engine.ts';
import { eraseEvents, fitting, searched } from '../sql/log.ts';
import type { Texts } from '../sql/log.ts';
import { CLEAN_AT_ONCE, removeSome } from '../sql/statements.ts';
import type { Cleaning } from '../sql/statements.ts';
import { IS_OPEN, sequencesOf, subjectsOf, updateContents } from './batch-rows.ts';
import type { BatchRow } from './batch-rows.ts';
import { forget, isForgotten, TEST_KEY } from './consumer-rows.ts';
import type { ConsumerRow } from './consumer-rows.ts';

// What is removed for its age. What a workflow will not get is put on record: nothing is lost silently.

/** A workflow as n8n named it at its last pull. */
export type WorkflowName = Pick<ConsumerView, 'name' | 'node' | 'url'>;

/** What a workflow misses for good. */
export interface Loss {
	/** The key of its consumer. */
	subject: string;
	workflow: WorkflowName | null;
	reason: string;
	/** Batches. */
	count: number;
	/** Events that were not even in a batch, wanted or not. */
	events: number;
}

/** Puts a loss on record, in the transaction that removes what is lost. */
export type NoteLoss = (tx: Transaction, loss: Loss, now: number) => Promise<void>;

/** Consumers that nobody has pulled for so long, with what is queued for them; returns whether there may be more. */
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

/** Settled batches of events; returns whether there may be more. */
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

/**
 * Events, but for those still to be delivered, however old, also if a person has to say so first; returns
 * the letters of each.
 */
export async function cleanEvents(
	db: Db,
	{ before }: Cleaning,
): Promise<Array<{ message_id: string | null }>> {
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
	const events = { table: 'events', key: 'sequence', where, returning: 'message_id' };
	return removeSome(db, events, before);
}

/** Before consumers and what is queued for them are removed. */
export async function noteForgotten(
	db: Transaction,
	noteLoss: NoteLoss,
	consumers: readonly ConsumerRow[],
	reason: string,
	now: number,
): Promise<void> {
	for (const { key, name, node, url, position } of consumers) {
		const [{ count, events }] = (await db.rows(
			`SELECT (SELECT count(*) FROM batches WHERE consumer = $1 AND ${IS_OPEN})
					+ (SELECT count(*) FROM batches WHERE consumer = $1 AND state = 'dead') AS count,
				greatest(coalesce((SELECT max(sequence) FROM events), 0) - $2::bigint, 0) AS events`,
			[key, position],
		)) as [{ count: number; events: number }];
		await noteLoss(db, { subject: key, workflow: { name, node, url }, reason, count, events }, now);
	}
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

const BATCHES: Texts = { table: 'batches', key: 'number', text: 'subjects' };

/** What `$1` (ids of messages) or `$2` (sequences of events) is part of. */
const TOUCHED = `(
	EXISTS (
		SELECT 1 FROM json_array_elements_text(subjects::json) AS letter (value)
		WHERE letter.value = ANY($1)
	) OR EXISTS (
		SELECT 1 FROM json_array_elements_text(sequences::json) AS element (value)
		WHERE element.value::bigint = ANY($2)
	)
)`;

/** Until the transaction ends no batch is formed, from events that were read before they were erased. */
async function lockConsumers(tx: Transaction): Promise<void> {
	await tx.rows('SELECT key FROM consumers ORDER BY key FOR NO KEY UPDATE');
}

/** What is erased. */
interface Erasing {
	messageIds: readonly string[];
	/** Ids of consents or customers, as batches have them; the other list may have the same. */
	listed: readonly string[];
}

/**
 * Erases a step of its events, and of those, from the log and from what n8n is yet to get.
 *
 * @returns their sequences, none when all are gone
 */
export async function eraseFromLog(
	tx: Transaction,
	erasing: Erasing,
	sequences: readonly number[],
): Promise<number[]> {
	await lockConsumers(tx);
	const gone = await eraseEvents(tx, erasing.messageIds, sequences);
	// Each by its own index.
	for (const state of [IS_OPEN, `state = 'dead'`]) {
		await eraseFromBatches(tx, `${state} AND ${TOUCHED}`, erasing, gone);
	}
	return gone;
}

/** Erases it from the record of what was delivered: once the events are gone nothing is added to it. */
export async function eraseFromDelivered(
	database: Engine,
	erasing: Erasing,
	gone: readonly number[],
): Promise<void> {
	for await (const range of searched(database, BATCHES, `state = 'done'`)) {
		const where = `state = 'done' AND number > $3 AND number <= $4 AND ${TOUCHED}`;
		await database.transaction((tx) => eraseFromBatches(tx, where, erasing, gone, range));
	}
}

/** A batch keeps its other events; without any it is deleted. */
async function eraseFromBatches(
	tx: Transaction,
	where: string,
	{ messageIds, listed }: Erasing,
	gone: readonly number[],
	range: readonly number[] = [],
): Promise<void> {
	const rows = await tx.rows<BatchRow>(
		`SELECT * FROM batches WHERE ${where} ORDER BY number FOR UPDATE`,
		[messageIds, gone, ...range],
	);
	if (rows.length === 0) return;
	const sizes = await sizesOf(tx, rows.flatMap(sequencesOf));
	const next = new Map(
		rows.map((row) => [row.number, without(row, [...messageIds, ...listed], sizes)]),
	);
	const empty = [...next].filter(([, row]) => row === null).map(([number]) => number);
	await tx.rows('DELETE FROM batches WHERE number = ANY($1)', [empty]);
	await updateContents(
		tx,
		[...next.values()].filter((row) => row !== null),
	);
	for (const { consumer } of rows) tx.notices.add(`queue ${consumer}`);
}

async function sizesOf(db: Db, sequences: readonly number[]): Promise<Map<number, number>> {
	const rows = await db.rows<{ sequence: number; size: number }>(
		'SELECT sequence, length(event) AS size FROM events WHERE sequence = ANY($1)',
		[sequences],
	);
	return new Map(rows.map(({ sequence, size }) => [sequence, size]));
}

/**
 * The batch with the remaining events, or null. If retention has removed all events, it stays on
 * record for the other letters.
 */
function without(
	row: BatchRow,
	subjects: readonly string[],
	sizes: ReadonlyMap<number, number>,
): BatchRow | null {
	const others = subjectsOf(row).filter((id) => !subjects.includes(id));
	const rest = JSON.stringify(others);
	const left = sequencesOf(row).filter((sequence) => sizes.has(sequence));
	if (left.length === 0) return others.length === 0 ? null : { ...row, subjects: rest };
	const size = left.reduce((sum, sequence) => sum + (sizes.get(sequence) ?? 0), 0);
	return { ...row, subjects: rest, sequences: JSON.stringify(left), size };
}
