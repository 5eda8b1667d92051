import type { Db } from './engine.ts';

// The log in the order of its sequences, which is the order of commits, since transactions that
// append take turns: a reader at a sequence has missed nothing below it.

export interface LogRow {
	sequence: number;
	id: string;
	/** The event as JSON, without its sequence; null if its type was not asked for. */
	event: string | null;
}

/**
 * Bytes of events that are read at once, unless a single one is larger: what is parsed or answered
 * takes memory and holds up everything else.
 */
export const MOST_READ = 4_000_000;

/** Where large texts are: a table, its key, and the column of the text. */
export interface Texts {
	table: string;
	key: string;
	text: string;
}

export const EVENTS: Texts = { table: 'events', key: 'sequence', text: 'event' };
export const CLAIMS: Texts = { table: 'key_claims', key: 'id', text: 'answer' };

/**
 * The keys of the first rows that may be read at once, at least one; as a subquery. The texts
 * themselves are not touched for it.
 *
 * @param chosen which rows, from WHERE to LIMIT
 * @param size of a row's text; 0 for one that is passed over
 */
export function fitting(
	chosen: string,
	{ table, key, text }: Texts = EVENTS,
	{ order = key, size = `octet_length(${text})` } = {},
) {
	return `(
		SELECT ${key} FROM (
			SELECT ${key}, coalesce(sum(size) OVER (
				ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
			), 0) AS before
			FROM (SELECT ${key}, ${size} AS size FROM ${table} ${chosen}) AS sized
		) AS summed WHERE before < ${MOST_READ}
	)`;
}

/** Events after a position; `types` is null for all. There may be more unless `isAll`. */
export async function readAfter(
	db: Db,
	position: number,
	types: readonly string[] | null,
	limit: number,
): Promise<{ rows: LogRow[]; isAll: boolean }> {
	const isAsked = '($2::text[] IS NULL OR type = ANY($2))';
	const size = `CASE WHEN ${isAsked} THEN octet_length(event) ELSE 0 END`;
	const after = 'WHERE sequence > $1 ORDER BY sequence LIMIT $3';
	const rows = await db.rows<LogRow & { size: number }>(
		`SELECT sequence, id, CASE WHEN ${isAsked} THEN event END AS event, ${size} AS size
		FROM events WHERE sequence IN ${fitting(after, EVENTS, { size })} ORDER BY sequence`,
		[position, types, limit],
	);
	const read = rows.reduce((sum, row) => sum + row.size, 0);
	return { rows, isAll: rows.length < limit && read < MOST_READ };
}

/** The position after the last event. */
export async function endOf(db: Db): Promise<number> {
	const [{ position }] = await db.rows('SELECT coalesce(max(sequence), 0) AS position FROM events');
	return position;
}

/** The position just before the events received from then on. */
export async function positionAt(db: Db, time: number): Promise<number> {
	const [{ position }] = await db.rows(
		`SELECT coalesce(
			(SELECT min(sequence) - 1 FROM events WHERE received_at >= $1),
			(SELECT max(sequence) FROM events), 0
		) AS position`,
		[time],
	);
	return position;
}
