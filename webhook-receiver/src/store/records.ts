import type { DeliveryEvent } from '../core/event-contract.ts';
import type { Db } from './engine.ts';
import { toEvent } from './rows.ts';
import type { EventRow } from './rows.ts';
import type { Page } from '../core/page.ts';
import type { Activity } from './store.ts';

// Read-only queries for people and machines.

export async function readEvents(db: Db, { before, limit }: Page): Promise<DeliveryEvent[]> {
	const rows = await db.rows<EventRow>(
		'SELECT sequence, event FROM events WHERE sequence < $1 ORDER BY sequence DESC LIMIT $2',
		[before ?? Number.MAX_SAFE_INTEGER, limit],
	);
	return rows.map(toEvent);
}

export async function readEventsOf(
	db: Db,
	messageId: string,
	limit: number,
): Promise<DeliveryEvent[]> {
	const rows = await db.rows<EventRow>(
		'SELECT sequence, event FROM events WHERE message_id = $1 ORDER BY sequence LIMIT $2',
		[messageId, limit],
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
