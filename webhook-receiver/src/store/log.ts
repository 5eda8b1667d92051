import type { Db } from './engine.ts';

// The log in the order of its sequences, which is the order of commits, since transactions that
// append take turns: a reader at a sequence has missed nothing below it.

export interface LogRow {
	sequence: number;
	id: string;
	/** The event as JSON, without its sequence; null if its type was not asked for. */
	event: string | null;
}

/** Events after a position; `types` is null for all. */
export async function readAfter(
	db: Db,
	position: number,
	types: readonly string[] | null,
	limit: number,
): Promise<LogRow[]> {
	return db.rows(
		`SELECT sequence, id, CASE WHEN $2::text[] IS NULL OR type = ANY($2) THEN event END AS event
		FROM events WHERE sequence > $1 ORDER BY sequence LIMIT $3`,
		[position, types, limit],
	);
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
