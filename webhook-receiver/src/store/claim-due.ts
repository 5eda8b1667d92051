import type { Db } from './engine.ts';

/** A table of work: each row has a time at which it falls due. */
export interface Work {
	table: string;
	key: string;
	/** Column that holds that time, in milliseconds. */
	at: string;
	/** Which rows count as work. An index on `at` must serve it. */
	where: string;
}

/**
 * Claims due work by moving its due time to the end of a lease: no other receiver gets it until then,
 * and another one does if the holder dies. Skips rows that another receiver has locked.
 *
 * @returns soonest first
 */
export async function claimDue<Row>(
	db: Db,
	{ table, key, at, where }: Work,
	{ now, most, leaseMs }: { now: number; most: number; leaseMs: number },
): Promise<Row[]> {
	const rows = await db.rows(
		`SELECT * FROM ${table} WHERE ${where} AND ${at} <= $1
		ORDER BY ${at} LIMIT $2 FOR UPDATE SKIP LOCKED`,
		[now, most],
	);
	await db.rows(`UPDATE ${table} SET ${at} = $2 WHERE ${key} = ANY($1)`, [
		rows.map((row) => row[key]),
		now + leaseMs,
	]);
	return rows as Row[];
}
