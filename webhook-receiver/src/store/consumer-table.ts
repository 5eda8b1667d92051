import { IS_OPEN } from './batch-rows.ts';
import type { ConsumerRow } from './consumer-rows.ts';
import type { Db } from './engine.ts';
import { insertInto, putInto } from './statements.ts';

const KEY = { key: 'text' };
const OTHERS = {
	name: 'text',
	node: 'text',
	url: 'text',
	wants: 'text',
	holder: 'text',
	held_until: 'bigint',
	held_since: 'bigint',
	position: 'bigint',
	start_from_now: 'text',
	pulled_at: 'bigint',
	away_since: 'bigint',
	rival_at: 'bigint',
	created_at: 'bigint',
} satisfies Record<Exclude<keyof ConsumerRow, 'key'>, string>;

const NAMES = Object.keys(OTHERS) as Array<keyof ConsumerRow>;

/** Does nothing if another receiver has added it meanwhile. */
export const addConsumers = insertInto(
	'consumers',
	{ ...KEY, ...OTHERS },
	'ON CONFLICT (key) DO NOTHING',
);
export const putConsumers = putInto('consumers', KEY, OTHERS);

/** Locks the consumer, and thereby its batches, until the transaction ends. */
export async function lockConsumer(db: Db, key: string): Promise<ConsumerRow | null> {
	const [row = null] = await db.rows<ConsumerRow>(
		'SELECT * FROM consumers WHERE key = $1 FOR NO KEY UPDATE',
		[key],
	);
	return row;
}

/** If nothing changed in one there is nothing to write or commit. */
export function isSameConsumer(left: ConsumerRow, right: ConsumerRow): boolean {
	return NAMES.every((name) => left[name] === right[name]);
}

/** Removes consumers with their open and dead batches; done ones stay on record. */
export async function forget(db: Db, keys: readonly string[]): Promise<void> {
	await db.rows('DELETE FROM consumers WHERE key = ANY($1)', [keys]);
	await db.rows(`DELETE FROM batches WHERE consumer = ANY($1) AND ${IS_OPEN}`, [keys]);
	await db.rows(`DELETE FROM batches WHERE consumer = ANY($1) AND state = 'dead'`, [keys]);
}
