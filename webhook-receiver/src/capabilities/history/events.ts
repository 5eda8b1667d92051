import type { DeliveryEvent } from '../../core/event-contract.ts';
import type { Db } from '../../sql/engine.ts';
import { EVENTS, fitting, toEvent } from '../../sql/log.ts';
import type { EventRow, Slice } from '../../sql/log.ts';

/** The newest first; up to the limit, but fewer if they are large. */
export async function readEvents(db: Db, { before, limit }: Slice): Promise<DeliveryEvent[]> {
	const chosen = 'WHERE sequence < $1 ORDER BY sequence DESC LIMIT $2';
	const rows = await db.rows<EventRow>(
		`SELECT sequence, event FROM events
		WHERE sequence IN ${fitting(chosen, EVENTS, { order: 'sequence DESC' })}
		ORDER BY sequence DESC`,
		[before ?? Number.MAX_SAFE_INTEGER, limit],
	);
	return rows.map(toEvent);
}

/** Likewise of one message, oldest first, after a sequence. */
export async function readEventsOf(
	db: Db,
	messageId: string,
	{ after, limit }: { after: number; limit: number },
): Promise<DeliveryEvent[]> {
	const chosen = 'WHERE message_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3';
	const rows = await db.rows<EventRow>(
		`SELECT sequence, event FROM events WHERE sequence IN ${fitting(chosen)} ORDER BY sequence`,
		[messageId, after, limit],
	);
	return rows.map(toEvent);
}
