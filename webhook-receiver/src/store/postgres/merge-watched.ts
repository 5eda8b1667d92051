import { withWebhook } from '../watches.ts';
import type { WatchRow } from '../watches.ts';
import type { Db } from './connect.ts';
import type { Arrived } from './intake.ts';
import { SCHEMA } from './schema.ts';

/**
 * What webhooks add to what is known of watched messages. Leaves out those of changes that watching
 * has made an event of before; `asks` are the messages whose status has to be asked at once.
 */
export async function mergeWatched(
	db: Db,
	arrived: readonly Arrived[],
): Promise<{ fresh: Arrived[]; asks: Set<string | null> }> {
	const asks = new Set<string | null>();
	const ids = arrived.map(({ event }) => event.messageId).filter((id) => id !== null);
	const rows = await lockWatches(db, ids);
	if (rows.size === 0) return { fresh: [...arrived], asks };
	const fresh = arrived.filter(({ event, duplicateKey, now }) => {
		const row = rows.get(event.messageId ?? '');
		if (row === undefined) return true;
		const merged = withWebhook(row, event, duplicateKey.byContent, now);
		rows.set(row.message_id, merged.row);
		if (merged.ask) asks.add(event.messageId);
		return merged.isNew;
	});
	await writeWatches(db, [...rows.values()]);
	return { fresh, asks };
}

/** Those of the messages that have one; nobody else changes them until the transaction ends. */
export async function lockWatches(
	db: Db,
	messageIds: readonly string[],
): Promise<Map<string, WatchRow>> {
	if (messageIds.length === 0) return new Map();
	// Always in the same order, so that two receivers seldom wait for each other.
	const rows = await db.rows(
		`SELECT * FROM ${SCHEMA}.watches WHERE message_id = ANY($1) ORDER BY message_id FOR UPDATE`,
		[messageIds],
	);
	return new Map((rows as WatchRow[]).map((row) => [row.message_id, row]));
}

export async function writeWatches(db: Db, rows: readonly WatchRow[]): Promise<void> {
	if (rows.length === 0) return;
	await db.rows(
		`UPDATE ${SCHEMA}.watches AS present SET watch = next.watch, revision = next.revision,
			next_poll_at = next.next_poll_at, ended_at = next.ended_at
		FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
			AS next (id, watch, revision, next_poll_at, ended_at)
		WHERE present.id = next.id`,
		[
			rows.map((row) => row.id),
			rows.map((row) => row.watch),
			rows.map((row) => row.revision),
			rows.map((row) => row.next_poll_at),
			rows.map((row) => row.ended_at),
		],
	);
}
