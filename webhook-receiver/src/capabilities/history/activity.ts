import type { Db } from '../../sql/engine.ts';

/** What happened in one time span, which starts at `at`. */
interface Activity {
	at: number;
	events: number;
	/** Settled batches: done or dead. */
	done: number;
	dead: number;
}

/** Since `from`, in spans of `spanMs`; empty spans are left out. */
export function readActivity(db: Db, from: number, spanMs: number): Promise<Activity[]> {
	// SQLite binds numbers as floating point and would not divide them into whole spans.
	const begin = (column: string) => `${column} - ${column} % CAST($2 AS bigint) AS at`;
	const count = (kind: string) => `count(*) FILTER (WHERE kind = '${kind}') AS`;
	return db.rows(
		`SELECT at, ${count('event')} events, ${count('done')} done, ${count('dead')} dead FROM (
			SELECT ${begin('received_at')}, 'event' AS kind FROM events WHERE received_at >= $1
			UNION ALL
			SELECT ${begin('updated_at')}, state FROM batches
			WHERE state IN ('done', 'dead') AND updated_at >= $1
		) AS happened GROUP BY at ORDER BY at`,
		[from, spanMs],
	);
}
