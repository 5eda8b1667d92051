import type { Db } from './engine.ts';

/** One step of cleaning; times are milliseconds. */
export interface Cleaning {
	now: number;
	/** What ended before then is no longer kept. */
	before: number;
	/** Letters that began before then are no longer in the book. */
	lettersBefore: number;
}

/** How many rows of each kind one step removes, so that it never holds up ingest. */
export const CLEAN_AT_ONCE = 500;

/** Removes rows, and leaves those that others have locked for the next step. */
export async function removeSome<Row>(
	db: Db,
	{
		table,
		key,
		where,
		returning = key,
	}: Record<'table' | 'key' | 'where', string> & {
		returning?: string;
	},
	before: number,
): Promise<Row[]> {
	return db.rows<Row>(
		`DELETE FROM ${table} WHERE ${key} IN (
			SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${CLEAN_AT_ONCE} FOR UPDATE SKIP LOCKED
		) RETURNING ${returning}`,
		[before],
	);
}
