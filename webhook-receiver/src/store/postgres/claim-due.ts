import type { Db } from './connect.ts';
import { SCHEMA } from './schema.ts';

/** Where work stands: rows that have a time at which they are due. */
export interface Work {
	table: string;
	key: string;
	/** Column of the time, in milliseconds. */
	at: string;
	/** Which rows are work at all; `$4` is `only`. An index on `at` must serve it. */
	where: string;
}

/**
 * The way to claim work: what is due is put off until its lease ends, so that nobody else gets it, and
 * somebody does should whoever has it die. What another receiver is about to take is passed over.
 */
export async function claimDue<Row>(
	db: Db,
	{ table, key, at, where }: Work,
	{ now, most, leaseMs, only }: { now: number; most: number; leaseMs: number; only?: string },
): Promise<Row[]> {
	const rows = await db.rows(
		`WITH due AS (
			SELECT ${key} FROM ${SCHEMA}.${table} WHERE ${where} AND ${at} <= $1
			ORDER BY ${at} LIMIT $2 FOR UPDATE SKIP LOCKED
		)
		UPDATE ${SCHEMA}.${table} AS taken SET ${at} = $3
		FROM due WHERE taken.${key} = due.${key} RETURNING taken.*`,
		[now, most, now + leaseMs, ...(only === undefined ? [] : [only])],
	);
	return rows as Row[];
}
