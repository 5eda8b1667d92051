import { CLOCK_MARGIN_MS } from '../time/set-back.ts';
import type { Db } from '../store/engine.ts';

/** A table of work: each row has a time at which it falls due. */
export interface Work {
	table: string;
	key: string;
	/** Column that holds that time, in milliseconds. */
	at: string;
	/** Column that says when it was noted: one noted in the future is due, too. */
	noted: string;
	/** Which rows count as work. Indexes on both columns must serve it. */
	where: string;
}

/**
 * Leases due work by moving its due time to the end of a lease: no other receiver gets it until then,
 * and another one does if the holder dies. Skips rows that another receiver has locked.
 *
 * @returns soonest first
 */
export async function leaseDue<Row>(
	db: Db,
	{ table, key, at, noted, where }: Work,
	{ now, most, leaseMs }: { now: number; most: number; leaseMs: number },
): Promise<Row[]> {
	const find = (isDue: string, order: string, limit: number) =>
		db.rows(
			`SELECT * FROM ${table} WHERE ${where} AND ${isDue}
			ORDER BY ${order} LIMIT $2 FOR UPDATE SKIP LOCKED`,
			[now, limit],
		);
	const due = await find(`${at} <= $1`, at, most);
	// A second look, since one index serves each.
	const isAhead = `${at} > $1 AND ${noted} > $1 + ${CLOCK_MARGIN_MS}`;
	const rows = [...due, ...(await find(isAhead, noted, most - due.length))];
	await db.rows(`UPDATE ${table} SET ${at} = $2, ${noted} = $3 WHERE ${key} = ANY($1)`, [
		rows.map((row) => row[key]),
		now + leaseMs,
		now,
	]);
	return rows as Row[];
}
