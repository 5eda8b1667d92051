import type { Engine } from '../store/engine.ts';
import { columnOf } from '../store/statements.ts';

/** Rows that wait for a time. */
interface Waiting {
	table: string;
	key: string;
	/** Below all keys. */
	first: '' | 0;
	/** Column with the time they wait for. */
	until: string;
	where: string;
	/** Column with the time of the last change, if there is one. */
	changed?: string;
}

/** Due times that do not tell when their pause began: see `futureFrom` for all others. */
const WAITING: readonly Waiting[] = [
	{
		table: 'records',
		key: 'id',
		first: 0,
		until: 'next_poll_at',
		where: 'next_poll_at IS NOT NULL',
	},
	{
		table: 'lists',
		key: 'name',
		first: '',
		until: 'next_poll_at',
		changed: 'asked_at',
		where: 'next_poll_at IS NOT NULL',
	},
	{
		table: 'watch_pace',
		key: 'free_at',
		first: 0,
		until: 'free_at',
		changed: 'problem_at',
		where: 'true',
	},
];

/** How many rows one step changes, so that it never holds up ingest. */
const STEP = 500;

/**
 * How far the newest change to what waits lies ahead of `now`, in milliseconds: more than 0 only if
 * the clock was set back since.
 */
export async function aheadOf(database: Engine, now: number): Promise<number> {
	const times = WAITING.filter(({ changed }) => changed !== undefined).map(
		({ table, until, where, changed }) =>
			`SELECT ${changed} AS at FROM ${table} WHERE ${where} AND ${until} > $1`,
	);
	// No poll before this time: while nothing is wrong, that of the last poll.
	times.push('SELECT free_at FROM watch_pace WHERE problem IS NULL');
	// Stays ahead until the next pull. A start before that sets polls back once more, which does no harm.
	times.push('SELECT max(pulled_at) FROM consumers');
	const [{ latest }] = await database.rows(
		`SELECT max(at) AS latest FROM (${times.join(' UNION ALL ')}) AS changes`,
		[now],
	);
	return Math.max((latest ?? now) - now, 0);
}

interface Times {
	byMs: number;
	now: number;
}

/** See `Store.setBack`. */
export async function setBack(database: Engine, times: Times): Promise<void> {
	for (const waiting of WAITING) {
		let from: string | number | null = waiting.first;
		while (from !== null) from = await setBackStep(database, waiting, times, from);
	}
}

/** Returns the last key of a full step, where the next begins; null if there is nothing left. */
function setBackStep(
	database: Engine,
	{ table, key, until, where, changed }: Waiting,
	{ byMs, now }: Times,
	from: string | number,
): Promise<string | number | null> {
	return database.transaction(async (tx) => {
		// In a fixed order, so that two receivers rarely block each other.
		const keys = await columnOf<string | number>(
			tx,
			`SELECT ${key} FROM ${table}
			WHERE ${where} AND ${until} > $1 AND ${key} > $2
			ORDER BY ${key} LIMIT ${STEP} FOR UPDATE`,
			[now, from],
		);
		const changes = [`${until} = ${until} - $2`];
		if (changed) changes.push(`${changed} = CASE WHEN ${changed} > $3 THEN $3 ELSE ${changed} END`);
		await tx.rows(
			`UPDATE ${table} SET ${changes.join(', ')} WHERE ${key} = ANY($1)`,
			changed ? [keys, byMs, now] : [keys, byMs],
		);
		return keys.length === STEP ? (keys.at(-1) ?? null) : null;
	});
}
