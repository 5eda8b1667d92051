import { newEventId } from '../../ingest/event-id.ts';
import type { Db, EventLog, Fresh, LogRow, Place, Transaction } from '../engine.ts';
import { CHANNEL, NEW_EVENTS } from './notify.ts';

/**
 * Starts a transaction that appends to the log. It locks the table before it gets its transaction
 * number; `horizon` relies on that.
 */
export const BEGIN_APPENDING = 'BEGIN; LOCK TABLE events IN ROW EXCLUSIVE MODE';

/** A snapshot that sees nothing. */
const NOTHING_YET = '1:1:';

export interface LogPage {
	rows: LogRow[];
	/**
	 * Whether more is committed but not readable yet because an older transaction is in progress.
	 */
	isHeldUp: boolean;
}

/**
 * Several receivers write and read the log at once. A lower sequence may commit after a higher one,
 * so reading in sequence order would skip events. The log is therefore read in transaction order,
 * and only up to the point where nobody can still write.
 */
export class PostgresLog implements EventLog {
	readonly isBeyond = `(events.xid, events.sequence) > (c.xid, c.position)
		AND NOT pg_visible_in_snapshot(events.xid, c.began)`;
	readonly order = 'xid, sequence';

	async append(tx: Transaction, fresh: readonly Fresh[]): Promise<void> {
		if (fresh.length === 0) return;
		const events = fresh.map(({ event }) => ({ id: newEventId(), ...event }));
		await tx.rows(
			`WITH stored AS (
				INSERT INTO events (id, type, message_id, received_at, event)
				SELECT id, type, message_id, received_at, event
				FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
					WITH ORDINALITY AS fresh (id, type, message_id, received_at, event, place)
				ORDER BY place
			)
			SELECT pg_notify('${CHANNEL}', '${NEW_EVENTS}')`,
			[
				events.map(({ id }) => id),
				events.map(({ type }) => type),
				events.map(({ messageId }) => messageId),
				fresh.map(({ now }) => now),
				events.map((event) => JSON.stringify(event)),
			],
		);
	}

	async after(db: Db, place: Place, types: readonly string[] | null, limit: number) {
		return (await this.page(db, place, types, limit)).rows;
	}

	/** Reads on, up to the readable end of the log. */
	async page(
		db: Db,
		place: Place,
		types: readonly string[] | null,
		limit: number,
	): Promise<LogPage> {
		const page = await readUpTo(db, place, { types, limit, safe: '0' });
		// A transaction in progress may be anybody's, even in another database on this server.
		return page.isHeldUp ? readUpTo(db, place, { types, limit, safe: await horizon(db) }) : page;
	}

	/** The current end, with the snapshot that shows what was committed before it. */
	async end(db: Db): Promise<Place> {
		const [end] = (await db.rows(
			`SELECT pg_snapshot_xmin(now) AS open, now::text AS began,
				(SELECT coalesce(max(sequence), 0) FROM events) AS position
			FROM pg_current_snapshot() AS now`,
		)) as [{ open: string; began: string; position: number }];
		return { xid: String(BigInt(end.open) - 1n), position: end.position, began: end.began };
	}

	/** Skips nothing from a transaction still in progress. */
	async startAt(db: Db, time: number): Promise<Place> {
		const [first] = (await db.rows(
			`SELECT least(
				(SELECT xid FROM events WHERE received_at >= $1 ORDER BY xid LIMIT 1),
				pg_snapshot_xmin(pg_current_snapshot())
			) AS xid`,
			[time],
		)) as [{ xid: string }];
		return { xid: first.xid, position: 0, began: NOTHING_YET };
	}
}

/** Everything older than all transactions in progress, or than `safe`. */
async function readUpTo(
	db: Db,
	{ xid, position, began }: Place,
	{ types, limit, safe }: { types: readonly string[] | null; limit: number; safe: string },
): Promise<LogPage> {
	const found = (await db.rows(
		`SELECT xid, sequence, id,
			xid < greatest(pg_snapshot_xmin(pg_current_snapshot()), $6::xid8) AS is_settled,
			CASE WHEN $4::text[] IS NULL OR type = ANY($4) THEN event END AS event
		FROM events
		WHERE (xid, sequence) > ($1::xid8, $2::bigint) AND NOT pg_visible_in_snapshot(xid, $3)
		ORDER BY xid, sequence LIMIT $5`,
		[xid, position, began, types, limit, safe],
	)) as Array<LogRow & { is_settled: boolean }>;
	const rows = found.filter((row) => row.is_settled);
	return { rows, isHeldUp: rows.length < found.length };
}

/**
 * No transaction below this number will write to the log any more, as seen by the next statement.
 * This goes beyond the oldest transaction in progress: one that holds locks only elsewhere, perhaps
 * n8n's in another database, for hours, holds up nobody.
 */
async function horizon(db: Db): Promise<string> {
	// The snapshot is taken before the locks are read: a transaction gone by then has committed
	// before the next statement, and a later one has a higher number.
	const [found] = (await db.rows(
		`SELECT coalesce(min(xid), pg_snapshot_xmax(pg_current_snapshot())) AS horizon
		FROM pg_snapshot_xip(pg_current_snapshot()) AS xid
		WHERE xid::xid IN (
			SELECT own.transactionid FROM pg_locks AS own JOIN pg_locks AS log USING (virtualtransaction)
			WHERE own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock'
				AND log.relation = 'events'::regclass AND log.mode = 'RowExclusiveLock'
				AND log.database = (SELECT oid FROM pg_database WHERE datname = current_database())
		)`,
	)) as Array<{ horizon: string }>;
	return (found as { horizon: string }).horizon;
}
