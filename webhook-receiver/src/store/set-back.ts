import { IS_OPEN } from './batch-rows.ts';
import type { Engine } from './engine.ts';
import { noticesForAll } from './notices-for-all.ts';
import { columnOf } from './statements.ts';

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

/** All due times except deadlines set by n8n. */
const WAITING: readonly Waiting[] = [
	{
		...{ table: 'consumers', key: 'key', first: '', until: 'held_until', changed: 'pulled_at' },
		where: 'holder IS NOT NULL',
	},
	{
		...{ table: 'batches', key: 'number', first: 0, until: 'due_at', changed: 'updated_at' },
		where: IS_OPEN,
	},
	{
		...{ table: 'key_claims', key: 'id', first: 0, until: 'lease_until', changed: 'updated_at' },
		where: `state <> 'sent'`,
	},
	{
		...{ table: 'records', key: 'id', first: 0, until: 'next_poll_at' },
		where: 'next_poll_at IS NOT NULL',
	},
	{
		...{ table: 'lists', key: 'name', first: '', until: 'next_poll_at', changed: 'asked_at' },
		where: 'next_poll_at IS NOT NULL',
	},
	{
		...{ table: 'watch_pace', key: 'free_at', first: 0, until: 'free_at', changed: 'problem_at' },
		where: 'true',
	},
];

/** The window in which identical bodies are one event; ids are kept for much longer. */
const IDENTICAL: Waiting = {
	...{ table: 'duplicate_keys', key: 'key', first: '', until: 'expires_at', where: 'true' },
};

const EVER = Number.MAX_SAFE_INTEGER;

/** Which due times are set back: those after `after`, up to `upTo`. */
interface Times {
	byMs: number;
	now: number;
	after: number;
	upTo: number;
}

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
	const [{ latest }] = await database.rows(
		`SELECT max(at) AS latest FROM (${times.join(' UNION ALL ')}) AS changes`,
		[now],
	);
	return Math.max((latest ?? now) - now, 0);
}

/** See `Store.setBack`. */
export async function setBack(
	database: Engine,
	{ byMs, now, dedupWindowMs }: { byMs: number; now: number; dedupWindowMs: number },
): Promise<void> {
	const step = async (waiting: Waiting, times: Times) => {
		let from: string | number | null = waiting.first;
		while (from !== null) from = await setBackStep(database, waiting, times, from);
	};
	for (const waiting of WAITING) await step(waiting, { byMs, now, after: now, upTo: EVER });
	const expires = now + dedupWindowMs;
	await step(IDENTICAL, { byMs, now, after: expires, upTo: expires + byMs });
	await database.transaction(async (tx) => {
		for (const notice of await noticesForAll(tx)) tx.news.notices.add(notice);
	});
}

/** Returns the last key of a full step, where the next begins; null if there is nothing left. */
function setBackStep(
	database: Engine,
	{ table, key, until, where, changed }: Waiting,
	{ byMs, now, after, upTo }: Times,
	from: string | number,
): Promise<string | number | null> {
	return database.transaction(async (tx) => {
		// In a fixed order, so that two receivers rarely block each other.
		const keys = await columnOf<string | number>(
			tx,
			`SELECT ${key} FROM ${table}
			WHERE ${where} AND ${until} > $1 AND ${until} <= $2 AND ${key} > $3
			ORDER BY ${key} LIMIT ${STEP} FOR UPDATE`,
			[after, upTo, from],
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
