import { subjectOf } from '../../core/lists.ts';
import { isWanted } from '../../core/match.ts';
import { eventsRow, insertBatches, queuedRow, sequencesOf } from '../../queue/batch-rows.ts';
import type { BatchRow } from '../../queue/batch-rows.ts';
import { readWants } from '../../queue/consumer-rows.ts';
import type { ConsumerRow } from '../../queue/consumer-rows.ts';
import type { Engine, Transaction } from '../../sql/engine.ts';
import { toEvent } from '../../sql/log.ts';
import type { EventRow } from '../../sql/log.ts';
import { receivedAtIn } from '../../sql/new-id.ts';
import { columnOf } from '../../sql/statements.ts';
import { toBatchView } from './batches.ts';
import type { BatchView } from './batches.ts';

/** How many dead batches one transaction requeues, so that it never holds up ingest. */
const RETRY_AT_ONCE = 500;

/**
 * Queues a dead or done batch again under a new id; null if there is no such batch, or its events or
 * consumer are gone.
 */
export function retry(database: Engine, id: string, now: number): Promise<BatchView | null> {
	return database.transaction(async (tx) => {
		const rows = await tx.rows<BatchRow>(
			`SELECT * FROM batches WHERE id = $1 AND state IN ('done', 'dead') FOR UPDATE`,
			[id],
		);
		const [again] = await queueAgain(tx, rows, now);
		return again === undefined ? null : toBatchView(again);
	});
}

/**
 * Queues dead batches again, of one consumer or of all (null); returns how many. In steps: if one fails,
 * earlier ones stay committed. Batches that die meanwhile stay dead.
 */
export async function retryDead(
	database: Engine,
	consumer: string | null,
	now: number,
): Promise<number> {
	const dead = await columnOf<number>(
		database,
		`SELECT number FROM batches
		WHERE state = 'dead' AND ($1::text IS NULL OR consumer = $1) ORDER BY +number`,
		[consumer],
	);
	let retried = 0;
	for (let at = 0; at < dead.length; at += RETRY_AT_ONCE) {
		const step = dead.slice(at, at + RETRY_AT_ONCE);
		retried += await database.transaction(async (tx) => {
			const rows = await tx.rows<BatchRow>(
				`SELECT * FROM batches WHERE number = ANY($1) AND state = 'dead'
				ORDER BY number FOR UPDATE`,
				[step],
			);
			return (await queueAgain(tx, rows, now)).length;
		});
	}
	return retried;
}

/** Queues an event for every consumer that wants it now, and returns them; null if there is no such event. */
export function replay(database: Engine, eventId: string, now: number): Promise<string[] | null> {
	return database.transaction(async (tx) => {
		const [row] = await tx.rows<EventRow>(
			'SELECT sequence, event FROM events WHERE received_at = $1 AND id = $2 FOR KEY SHARE',
			[receivedAtIn(eventId), eventId],
		);
		if (row === undefined) return null;
		const event = toEvent(row);
		const subject = subjectOf(event);
		const subjects = subject === null ? [] : [subject];
		const content = { events: [event], subjects, size: row.event.length };
		const all = await tx.rows<ConsumerRow>('SELECT * FROM consumers ORDER BY key FOR KEY SHARE');
		const consumers = all
			.filter((consumer) => isWanted(readWants(consumer), event))
			.map(({ key }) => key);
		await insertBatches(
			tx,
			consumers.map((consumer) => eventsRow(consumer, content, now)),
		);
		for (const key of consumers) tx.notices.add(`queue ${key}`);
		return consumers;
	});
}

/** Requeues settled batches behind all others, except those whose events or consumer are gone. */
async function queueAgain(
	tx: Transaction,
	rows: readonly BatchRow[],
	now: number,
): Promise<BatchRow[]> {
	if (rows.length === 0) return [];
	// Locks what it finds until the transaction ends.
	const keys = await columnOf<string>(
		tx,
		'SELECT key FROM consumers WHERE key = ANY($1) ORDER BY key FOR KEY SHARE',
		[rows.map(({ consumer }) => consumer)],
	);
	const events = await columnOf<number>(
		tx,
		'SELECT sequence FROM events WHERE sequence = ANY($1) FOR KEY SHARE',
		[rows.flatMap(sequencesOf)],
	);
	const isThere = ({ consumer, wait }: BatchRow) => wait !== null || keys.includes(consumer);
	const present = new Set(events);
	const complete = rows.filter(
		(row) => isThere(row) && sequencesOf(row).every((one) => present.has(one)),
	);
	const again = complete.map(({ consumer, wait, sequences, subjects, size, reason }) =>
		queuedRow({ consumer, wait, sequences, subjects, size, reason }, now),
	);
	await tx.rows('DELETE FROM batches WHERE number = ANY($1)', [
		complete.map(({ number }) => number),
	]);
	const numbers = await insertBatches<Pick<BatchRow, 'number'>>(tx, again);
	for (const { consumer } of again) tx.notices.add(`queue ${consumer}`);
	// Which may be given up again.
	if (again.some(({ wait }) => wait !== null)) tx.notices.add('due');
	return again.map((row, index) => ({ ...row, ...(numbers[index] as Pick<BatchRow, 'number'>) }));
}
