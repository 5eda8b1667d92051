import { IS_OPEN, sequencesOf, subjectsOf, updateContents } from '../../queue/batch-rows.ts';
import type { BatchRow } from '../../queue/batch-rows.ts';
import type { Db, Engine, Transaction } from '../../sql/engine.ts';
import { searched } from '../../sql/log.ts';
import type { Texts } from '../../sql/log.ts';
import { eraseEvents } from './erase-events.ts';

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
