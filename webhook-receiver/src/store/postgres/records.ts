import type { DeliveryEvent } from '../../contract.ts';
import { toActivity, toBacklog, toDelivery, toEvent } from '../rows.ts';
import type { ActivityRow, BacklogRow, DeliveryRow, EventRow } from '../rows.ts';
import type { Activity, Backlog, Delivery, DeliveryState, Page } from '../store.ts';
import type { Database } from './connect.ts';
import { SCHEMA } from './schema.ts';

// What is read for people and machines; nothing here changes anything.

export const SHOWN_DELIVERIES = `
	SELECT d.*, e.id AS event_id
	FROM ${SCHEMA}.deliveries d JOIN ${SCHEMA}.events e ON e.sequence = d.event_sequence
`;

export async function readEvents(database: Database, page: Page): Promise<DeliveryEvent[]> {
	const rows = await database.query(
		`SELECT sequence, event FROM ${SCHEMA}.events WHERE $1::bigint IS NULL OR sequence < $1
		ORDER BY sequence DESC LIMIT $2`,
		[page.before, page.limit],
	);
	return (rows as EventRow[]).map(toEvent);
}

export async function readEventsOf(
	database: Database,
	messageId: string,
	limit: number,
): Promise<DeliveryEvent[]> {
	const rows = await database.query(
		`SELECT sequence, event FROM ${SCHEMA}.events WHERE message_id = $1
		ORDER BY sequence LIMIT $2`,
		[messageId, limit],
	);
	return (rows as EventRow[]).map(toEvent);
}

export async function readDeliveries(
	database: Database,
	{ before, limit, state }: Page & { state: DeliveryState | null },
): Promise<Delivery[]> {
	const rows = await database.query(
		`${SHOWN_DELIVERIES}
		WHERE ($1::bigint IS NULL OR d.id < $1) AND ($2::text IS NULL OR d.state = $2)
		ORDER BY d.id DESC LIMIT $3`,
		[before, state, limit],
	);
	return (rows as DeliveryRow[]).map(toDelivery);
}

export async function readBacklog(database: Database): Promise<Backlog[]> {
	const rows = await database.query(
		`SELECT subscription, state, count(*) AS count, min(created_at) AS oldest
		FROM ${SCHEMA}.deliveries WHERE state <> 'delivered' GROUP BY state, subscription`,
	);
	return toBacklog(rows as BacklogRow[]);
}

export async function readActivity(
	database: Database,
	from: number,
	spanMs: number,
): Promise<Activity[]> {
	const rows = await database.query(
		`SELECT received_at / $2::bigint * $2 AS at, 'events' AS kind, count(*) AS count
		FROM ${SCHEMA}.events WHERE received_at >= $1 GROUP BY 1
		UNION ALL
		SELECT updated_at / $2 * $2, state, count(*)
		FROM ${SCHEMA}.deliveries WHERE state <> 'pending' AND updated_at >= $1 GROUP BY 1, 2`,
		[from, spanMs],
	);
	return toActivity(rows as ActivityRow[]);
}
