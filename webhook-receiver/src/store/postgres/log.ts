import type { DeliveryEvent } from '../../contract.ts';
import { newEventId } from '../../event-id.ts';
import type { Candidate } from '../store.ts';
import type { Db } from './connect.ts';
import { CHANNEL, NEW_EVENTS } from './notify.ts';
import { SCHEMA } from './schema.ts';

// The log of events, which several receivers write to and read at once. A lower sequence may be
// committed after a higher one, so whoever reads in the order of the sequence passes over events. The
// log is read in the order of transactions instead, and only as far as nobody can write any more.

/** Everything up to here was read. */
export interface Position {
	/** PostgreSQL's xid8, which JavaScript's numbers don't hold. */
	xid: string;
	sequence: number;
}

export interface LogRow extends Position {
	/** The event as JSON, but for its sequence; null if it is of another type. */
	event: string | null;
}

export interface LogPage {
	rows: LogRow[];
	/** Whether more is committed that can't be read yet, since an older transaction is under way. */
	isHeldUp: boolean;
}

/** What to read of the log; `types` null for all, `began` null for all since `after`. */
export interface LogRange {
	after: Position;
	began: string | null;
	types: readonly string[] | null;
	limit: number;
}

/**
 * What begins a transaction that writes to the log. It holds the lock on the table before it has its
 * number, by which `horizon` knows it.
 */
export const BEGIN_WRITING = `BEGIN; LOCK TABLE ${SCHEMA}.events IN ROW EXCLUSIVE MODE`;

/** Gives the events their ids and sequence and stores them, in the given order. */
export async function appendToLog(
	db: Db,
	fresh: ReadonlyArray<{ event: Candidate['event']; now: number }>,
): Promise<void> {
	if (fresh.length === 0) return;
	const events = fresh.map(({ event }) => ({ id: newEventId(), ...event }));
	await db.rows(
		`WITH stored AS (
			INSERT INTO ${SCHEMA}.events (id, type, message_id, received_at, event)
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

/** Reads on, as far as the log can be read. */
export async function readLog(db: Db, range: LogRange): Promise<LogPage> {
	const page = await readUpTo(db, range, '0');
	// What is under way may be anybody's, of other databases on this server too.
	return page.isHeldUp ? readUpTo(db, range, await horizon(db)) : page;
}

/** The end of the log as it is now, and the snapshot that tells what was committed before. */
export async function endOfLog(db: Db): Promise<Position & { began: string }> {
	const [end] = (await db.rows(
		`SELECT pg_snapshot_xmin(now) AS open, now::text AS began,
			(SELECT coalesce(max(sequence), 0) FROM ${SCHEMA}.events) AS sequence
		FROM pg_current_snapshot() AS now`,
	)) as Array<{ open: string; began: string; sequence: number }>;
	const { open, began, sequence } = end as { open: string; began: string; sequence: number };
	return { xid: String(BigInt(open) - 1n), sequence, began };
}

export function toLogEvent({ event, sequence }: LogRow): DeliveryEvent | null {
	if (event === null) return null;
	return { ...(JSON.parse(event) as Omit<DeliveryEvent, 'sequence'>), sequence };
}

/** All that is older than every transaction under way, or than `safe`. */
async function readUpTo(
	db: Db,
	{ after, began, types, limit }: LogRange,
	safe: string,
): Promise<LogPage> {
	const found = (await db.rows(
		`SELECT xid, sequence,
			xid < greatest(pg_snapshot_xmin(pg_current_snapshot()), $6::xid8) AS is_settled,
			CASE WHEN $4::text[] IS NULL OR type = ANY($4) THEN event END AS event
		FROM ${SCHEMA}.events
		WHERE (xid, sequence) > ($1::xid8, $2::bigint)
			AND ($3::pg_snapshot IS NULL OR NOT pg_visible_in_snapshot(xid, $3))
		ORDER BY xid, sequence LIMIT $5`,
		[after.xid, after.sequence, began, types, limit, safe],
	)) as Array<LogRow & { is_settled: boolean }>;
	const rows = found.filter((row) => row.is_settled);
	return { rows, isHeldUp: rows.length < found.length };
}

/**
 * Below this number no transaction will write to the log any more, as the next statement sees it. More
 * than the oldest transaction under way tells: one that only holds locks elsewhere, n8n's in another
 * database perhaps, for hours, holds up nobody.
 */
async function horizon(db: Db): Promise<string> {
	// The snapshot is older than the look at the locks: who is gone by then has committed before the
	// next statement, and who comes later has a higher number.
	const [found] = (await db.rows(
		`SELECT coalesce(min(xid), pg_snapshot_xmax(pg_current_snapshot())) AS horizon
		FROM pg_snapshot_xip(pg_current_snapshot()) AS xid
		WHERE xid::xid IN (
			SELECT own.transactionid FROM pg_locks AS own JOIN pg_locks AS log USING (virtualtransaction)
			WHERE own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock'
				AND log.relation = '${SCHEMA}.events'::regclass AND log.mode = 'RowExclusiveLock'
				AND log.database = (SELECT oid FROM pg_database WHERE datname = current_database())
		)`,
	)) as Array<{ horizon: string }>;
	return (found as { horizon: string }).horizon;
}
