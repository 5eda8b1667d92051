import { setImmediate as breathe } from 'node:timers/promises';
import type { DeliveryEvent } from '../core/event-contract.ts';
import type { Db } from './engine.ts';

// The log in the order of its sequences, which is the order of commits, since transactions that
// append take turns: a reader at a sequence has missed nothing below it.

export const EVENTS_TABLE = `
	CREATE TABLE events (
		sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		-- Found by the time in it: an index would cost each event more than replays gain.
		id text NOT NULL,
		type text NOT NULL,
		message_id text,
		received_at bigint NOT NULL,
		-- The whole event as JSON, but for its sequence. Not jsonb, which refuses the character 0.
		event text NOT NULL
	);
	CREATE INDEX events_by_message ON events (message_id, type) WHERE message_id IS NOT NULL;
	CREATE INDEX events_by_age ON events (received_at);
	CREATE INDEX events_without_message ON events (sequence) WHERE message_id IS NULL;
`;

/** Part of a listing of what is on record, newest first. */
export interface Slice {
	limit: number;
	/** Only entries older than this id or sequence. */
	before: number | null;
}

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
const MOST_READ = 4_000_000;

/** Where large texts are: a table, its key, and the column of the text. */
export interface Texts {
	table: string;
	key: string;
	text: string;
}

export const EVENTS: Texts = { table: 'events', key: 'sequence', text: 'event' };

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

/** Rows that one step of a search reads, so that it never holds up ingest. */
const SEARCH_AT_ONCE = 2_000;

/** Parts of a table to be searched one by one: after the first key, up to the second. */
export async function* searched(
	db: Db,
	texts: Texts,
	where = 'true',
): AsyncGenerator<[number, number]> {
	const { key } = texts;
	for (let after = 0; ; ) {
		const step = `WHERE ${where} AND ${key} > $1 ORDER BY ${key} LIMIT ${SEARCH_AT_ONCE}`;
		const [{ last }] = (await db.rows(
			`SELECT max(${key}) AS last FROM ${fitting(step, texts)} AS step`,
			[after],
		)) as [{ last: number | null }];
		if (last === null) return;
		yield [after, last];
		after = last;
		await breathe();
	}
}

export interface EventRow {
	sequence: number;
	/** The event as JSON, without its sequence. */
	event: string;
}

export function toEvent({ event, sequence }: EventRow): DeliveryEvent {
	return { ...(JSON.parse(event) as Omit<DeliveryEvent, 'sequence'>), sequence };
}

export interface LoggedEvent {
	event: DeliveryEvent;
	/** Characters in its JSON. */
	size: number;
}

/** How many characters of parsed events to cache. */
const RECENT_SIZE = 4_000_000;

/**
 * A cache of parsed events: a thousand consumers may want the same one. Each attempt to store an
 * event gives it a new id, so a rolled-back one is never served.
 */
export class RecentEvents {
	private readonly recent = new Map<string, LoggedEvent>();
	private size = 0;

	read(row: EventRow & { id: string }): LoggedEvent {
		const known = this.recent.get(row.id);
		if (known !== undefined) return known;
		const logged = { event: toEvent(row), size: row.event.length };
		this.recent.set(row.id, logged);
		this.size += logged.size;
		for (const [id, { size }] of this.recent) {
			if (this.size <= RECENT_SIZE) break;
			this.recent.delete(id);
			this.size -= size;
		}
		return logged;
	}
}
