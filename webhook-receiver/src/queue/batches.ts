import { subjectOf } from '../core/lists.ts';
import { isWanted } from '../core/match.ts';
import type { Db, Engine, Transaction } from '../sql/engine.ts';
import { toEvent } from '../sql/log.ts';
import type { EventRow, Slice } from '../sql/log.ts';
import { columnOf } from '../sql/statements.ts';
import {
	IS_OPEN,
	eventsRow,
	insertBatches,
	queuedRow,
	sequencesOf,
	toBatchView,
} from './batch-rows.ts';
import type { BatchView, BatchRow } from './batch-rows.ts';
import { readWants } from './consumer-rows.ts';
import type { ConsumerRow } from './consumer-rows.ts';
import type { BatchState } from './plan-batches.ts';

// Records of batches, and what operators queue again.

/** How many dead batches one transaction requeues, so that it never holds up ingest. */
const RETRY_AT_ONCE = 500;

interface BatchSlice {
	/** `open` is queued or in hand; null matches any. */
	state: BatchState | 'open' | null;
	/** Null matches any. */
	consumer?: string | null;
	limit: number;
	/** Newest first, before the batch of this number. */
	before?: number | null;
	/** Instead: oldest first, after the batch of this number. */
	after?: number;
}

/** The batches on record. */
export function batchesIn(database: Engine) {
	return {
		batches: (slice: BatchSlice) => readBatches(database, slice),
		batchesOf: (messageId: string, slice: Slice) => readBatchesOf(database, messageId, slice),
		activity: (from: number, spanMs: number) => readActivity(database, from, spanMs),

		/**
		 * Queues a dead or done batch again under a new id; null if there is no such batch, or its
		 * events or consumer are gone.
		 */
		retry: (id: string, now: number) => database.transaction((tx) => retry(tx, id, now)),
		/** Queues dead batches again, of one consumer or of all; returns how many. */
		retryDead: (consumer: string | null, now: number) => retryDead(database, consumer, now),
		/** Queues an event for every consumer that wants it now; null if there is no such event. */
		replay: (eventId: string, now: number) =>
			database.transaction((tx) => replay(tx, eventId, now)),
	};
}

async function readBatches(
	db: Db,
	{ state, consumer = null, limit, before, after }: BatchSlice,
): Promise<BatchView[]> {
	// Open and dead batches are few among the done ones: use their own index, not the number order.
	const isRare = state !== null && state !== 'done';
	const number = isRare ? '+number' : 'number';
	const [isInPart, direction] = after === undefined ? ['< $1', 'DESC'] : ['> $1', 'ASC'];
	const rows = await db.rows<BatchRow>(
		`SELECT * FROM batches WHERE ${IS_IN_STATE[state ?? 'any']} AND ${number} ${isInPart}
			AND ($2::text IS NULL OR consumer = $2)
		ORDER BY ${number} ${direction} LIMIT $3`,
		[after ?? before ?? Number.MAX_SAFE_INTEGER, consumer, limit],
	);
	return rows.map(toBatchView);
}

const IS_IN_STATE = {
	any: 'true',
	open: IS_OPEN,
	queued: `${IS_OPEN} AND state = 'queued'`,
	'in-hand': `${IS_OPEN} AND state = 'in-hand'`,
	done: `state = 'done'`,
	dead: `state = 'dead'`,
};

async function retry(tx: Transaction, id: string, now: number): Promise<BatchView | null> {
	const rows = await tx.rows<BatchRow>(
		`SELECT * FROM batches WHERE id = $1 AND state IN ('done', 'dead') FOR UPDATE`,
		[id],
	);
	const [again] = await queueAgain(tx, rows, now);
	return again === undefined ? null : toBatchView(again);
}

/** In steps: if one fails, earlier ones stay committed. Batches that die meanwhile stay dead. */
async function retryDead(database: Engine, consumer: string | null, now: number): Promise<number> {
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

async function replay(
	tx: Transaction,
	eventId: string,
	now: number,
): Promise<{ consumers: string[] } | null> {
	const [row] = await tx.rows<EventRow>(
		'SELECT sequence, event FROM events WHERE id = $1 FOR KEY SHARE',
		[eventId],
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
	return { consumers };
}

/** Those that had events of a letter, newest first; each lookup by its own index. */
async function readBatchesOf(
	db: Db,
	messageId: string,
	{ limit, before }: Slice,
): Promise<BatchView[]> {
	const place = before ?? Number.MAX_SAFE_INTEGER;
	const alone = await db.rows<BatchRow>(
		`SELECT * FROM batches WHERE length(subjects) = 16 AND subjects = $1 AND number < $2
		ORDER BY number DESC LIMIT $3`,
		[JSON.stringify([messageId]), place, limit],
	);
	// No batch is older than the letter's first event.
	const among = await db.rows<BatchRow>(
		`SELECT * FROM batches WHERE length(subjects) > 16 AND subjects LIKE $1
			AND created_at >= (SELECT min(received_at) FROM events WHERE message_id = $2)
			AND number < $3
		ORDER BY created_at DESC LIMIT $4`,
		[`%"${messageId}"%`, messageId, place, limit],
	);
	return [...alone, ...among]
		.sort((left, right) => right.number - left.number)
		.slice(0, limit)
		.map(toBatchView);
}

/** What happened in one time span, which starts at `at`. */
interface Activity {
	at: number;
	events: number;
	/** Settled batches: done or dead. */
	done: number;
	dead: number;
}

/** Since `from`, in spans of `spanMs`; empty spans are left out. */
async function readActivity(db: Db, from: number, spanMs: number): Promise<Activity[]> {
	// SQLite binds numbers as floating point and would not divide them into whole spans.
	const begin = (column: string) => `${column} - ${column} % CAST($2 AS bigint) AS at`;
	const count = (kind: string) => `count(*) FILTER (WHERE kind = '${kind}') AS`;
	return db.rows(
		`SELECT at, ${count('event')} events, ${count('done')} done, ${count('dead')} dead FROM (
			SELECT ${begin('received_at')}, 'event' AS kind FROM events WHERE received_at >= $1
			UNION ALL
			SELECT ${begin('updated_at')}, state FROM batches
			WHERE state IN ('done', 'dead') AND updated_at >= $1
		) AS happened GROUP BY at ORDER BY at`,
		[from, spanMs],
	);
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
