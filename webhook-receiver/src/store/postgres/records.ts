import type { DeliveryEvent } from '../../contract.ts';
import { toActivity, toEvent } from '../rows.ts';
import type { ActivityRow, EventRow } from '../rows.ts';
import type { Activity, Page } from '../store.ts';
import type { Db } from './connect.ts';
import { SCHEMA } from './schema.ts';

// What is read for people and machines; nothing here changes anything.

export async function readEvents(db: Db, page: Page): Promise<DeliveryEvent[]> {
	const rows = await db.rows(
		`SELECT sequence, event FROM ${SCHEMA}.events WHERE $1::bigint IS NULL OR sequence < $1
		ORDER BY sequence DESC LIMIT $2`,
		[page.before, page.limit],
	);
	return (rows as EventRow[]).map(toEvent);
}

export async function readEventsOf(
	db: Db,
	messageId: string,
	limit: number,
): Promise<DeliveryEvent[]> {
	const rows = await db.rows(
		`SELECT sequence, event FROM ${SCHEMA}.events WHERE message_id = $1
		ORDER BY sequence LIMIT $2`,
		[messageId, limit],
	);
	return (rows as EventRow[]).map(toEvent);
}

export async function readActivity(db: Db, from: number, spanMs: number): Promise<Activity[]> {
	const rows = await db.rows(
		`SELECT received_at / $2::bigint * $2 AS at, 'events' AS kind, count(*) AS count
		FROM ${SCHEMA}.events WHERE received_at >= $1 GROUP BY 1
		UNION ALL
		SELECT updated_at / $2 * $2, state, count(*) FROM ${SCHEMA}.batches
		WHERE state IN ('done', 'dead') AND updated_at >= $1 GROUP BY 1, 2`,
		[from, spanMs],
	);
	return toActivity(rows as ActivityRow[]);
}
