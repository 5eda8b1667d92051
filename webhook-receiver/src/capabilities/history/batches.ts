import type { Db } from '../../sql/engine.ts';
import type { Slice } from '../../sql/log.ts';
import { IS_OPEN, sequencesOf, subjectsOf } from '../../queue/batch-rows.ts';
import type { BatchRow } from '../../queue/batch-rows.ts';
import { isOpen } from '../../queue/plan-batches.ts';
import type { BatchState } from '../../queue/plan-batches.ts';
import { iso } from '../../time/iso.ts';

/** A batch as the record shows it. Times are ISO 8601 UTC. */
export interface BatchView {
	id: string;
	/** Increases with each batch, for paging. */
	number: number;
	/** Of a wake-up the queue of its n8n, which is no consumer. */
	consumer: string;
	/** The wait of the execution that it wakes; null for a batch of events. */
	wait: string | null;
	events: number[];
	/** Ids of the letters, consents and customers they are about. */
	subjects: string[];
	state: BatchState;
	attempts: number;
	/**
	 * When a queued batch is handed out again, or when the ack wait of one in hand ends; else null.
	 */
	dueAt: string | null;
	/** What n8n said about the last attempt, or null. */
	reason: string | null;
	createdAt: string;
	updatedAt: string;
}

export function toBatchView(row: BatchRow): BatchView {
	return {
		id: row.id,
		number: row.number,
		consumer: row.consumer,
		wait: row.wait,
		events: sequencesOf(row),
		subjects: subjectsOf(row),
		state: row.state,
		attempts: row.attempts,
		dueAt: isOpen(row) ? iso(row.due_at) : null,
		reason: row.reason,
		createdAt: iso(row.created_at),
		updatedAt: iso(row.updated_at),
	};
}

interface BatchSlice extends Slice {
	/** `open` is queued or in hand; null matches any. */
	state: BatchState | 'open' | null;
	/** Null matches any. */
	consumer: string | null;
	/** Instead of `before`: oldest first, after the batch of this number. */
	after?: number | undefined;
}

/** Newest first. */
export async function readBatches(
	db: Db,
	{ state, consumer, limit, before, after }: BatchSlice,
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

/** What becomes of a letter. Most batches are of one letter: 16 characters of JSON with its id. */
export const BATCHES_OF_LETTERS = `
	CREATE INDEX batches_of_one ON batches (subjects) WHERE length(subjects) = 16;
	CREATE INDEX batches_of_several ON batches (created_at) WHERE length(subjects) > 16;
`;

/** Those that had events of a letter, newest first; each lookup by its own index. */
export async function readBatchesOf(
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
