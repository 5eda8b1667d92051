import type { DeliveryEvent } from '../core/event-contract.ts';
import { toBatchRecord } from './consumer-rows.ts';
import type { BatchRow } from './consumer-rows.ts';
import type { StoredWait } from '../core/wait-contract.ts';
import type { Db } from './engine.ts';
import { erasedUntil } from './record-rows.ts';
import { fitting } from './log.ts';
import { toEvent } from './rows.ts';
import type { EventRow } from './rows.ts';
import type { Page, WaitPage } from '../core/page.ts';
import type { Activity, LetterRecord } from './store.ts';
import { SHOWN_WAITS, toStoredWait } from './wait-rows.ts';
import type { ShownWaitRow } from './wait-rows.ts';

// Read-only queries for people and machines.

export async function readEvents(db: Db, { before, limit }: Page): Promise<DeliveryEvent[]> {
	const rows = await db.rows<EventRow>(
		`SELECT sequence, event FROM events WHERE sequence IN
			${fitting('WHERE sequence < $1 ORDER BY sequence DESC LIMIT $2', undefined, { order: 'sequence DESC' })}
		ORDER BY sequence DESC`,
		[before ?? Number.MAX_SAFE_INTEGER, limit],
	);
	return rows.map(toEvent);
}

export async function readEventsOf(
	db: Db,
	messageId: string,
	limit: number,
	after: number,
): Promise<DeliveryEvent[]> {
	const rows = await db.rows<EventRow>(
		`SELECT sequence, event FROM events WHERE sequence IN
			${fitting('WHERE message_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3')}
		ORDER BY sequence`,
		[messageId, after, limit],
	);
	return rows.map(toEvent);
}

export async function readActivity(db: Db, from: number, spanMs: number): Promise<Activity[]> {
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

/** What became of a letter; each lookup by its own index. */
export async function readLetter(
	db: Db,
	messageId: string,
	{ limit, before }: Page,
): Promise<LetterRecord> {
	const place = before ?? Number.MAX_SAFE_INTEGER;
	const alone = await db.rows<BatchRow>(
		`SELECT * FROM batches WHERE length(messages) = 16 AND messages = $1 AND number < $2
		ORDER BY number DESC LIMIT $3`,
		[JSON.stringify([messageId]), place, limit],
	);
	// No batch is older than the letter's first event.
	const among = await db.rows<BatchRow>(
		`SELECT * FROM batches WHERE length(messages) > 16 AND messages LIKE $1
			AND created_at >= (SELECT min(received_at) FROM events WHERE message_id = $2)
			AND number < $3
		ORDER BY created_at DESC LIMIT $4`,
		[`%"${messageId}"%`, messageId, place, limit],
	);
	return {
		deliveries: [...alone, ...among]
			.sort((left, right) => right.number - left.number)
			.slice(0, limit)
			.map(toBatchRecord),
		erasedUntil: await erasedUntil(db, messageId),
	};
}

export async function readWaits(
	db: Db,
	{ messageId, limit, before }: WaitPage,
): Promise<StoredWait[]> {
	const rows = await db.rows<ShownWaitRow>(
		`${SHOWN_WAITS} WHERE
			($1::text IS NULL
				OR waits.id IN (SELECT wait_id FROM wait_messages WHERE message_id = $1))
			AND ($2::text IS NULL OR (waits.created_at, waits.id) <
				(SELECT w.created_at, w.id FROM waits AS w WHERE w.id = $2))
		ORDER BY waits.created_at DESC, waits.id DESC LIMIT $3`,
		[messageId, before, limit],
	);
	return rows.map((row) => toStoredWait(row, []));
}
