import type { ConsumerRow } from '../consumer-rows.ts';
import type { Db } from './connect.ts';
import { SCHEMA } from './schema.ts';

/** A consumer with its place in a log that is read in the order of transactions. */
export interface PlacedConsumer extends ConsumerRow {
	xid: string;
	/** What was committed by this snapshot is behind it. */
	began: string;
}

const COLUMNS = {
	key: 'text',
	name: 'text',
	wants: 'text',
	holder: 'text',
	held_until: 'bigint',
	held_since: 'bigint',
	xid: 'xid8',
	position: 'bigint',
	began: 'pg_snapshot',
	start_anew: 'text',
	pulled_at: 'bigint',
	away_since: 'bigint',
	rival_at: 'bigint',
	created_at: 'bigint',
} satisfies Record<keyof PlacedConsumer, string>;

const NAMES = Object.keys(COLUMNS) as Array<keyof PlacedConsumer>;
const INSERT = `
	INSERT INTO ${SCHEMA}.consumers (${NAMES.join(', ')})
	VALUES (${NAMES.map((name, index) => `$${index + 1}::${COLUMNS[name]}`).join(', ')})
	ON CONFLICT (key)
`;

/** Nobody else changes the consumer or its batches until the transaction ends. */
export async function lockConsumer(db: Db, key: string): Promise<PlacedConsumer | null> {
	const rows = await db.rows(`SELECT * FROM ${SCHEMA}.consumers WHERE key = $1 FOR NO KEY UPDATE`, [
		key,
	]);
	return (rows[0] as PlacedConsumer | undefined) ?? null;
}

/** Unless somebody else has, meanwhile. */
export async function addConsumer(db: Db, row: PlacedConsumer): Promise<void> {
	await db.rows(
		`${INSERT} DO NOTHING`,
		NAMES.map((name) => row[name]),
	);
}

export async function writeConsumer(db: Db, row: PlacedConsumer): Promise<void> {
	const others = NAMES.filter((name) => name !== 'key');
	await db.rows(
		`${INSERT} DO UPDATE SET ${others.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`,
		NAMES.map((name) => row[name]),
	);
}

export function isSameConsumer(left: PlacedConsumer, right: PlacedConsumer): boolean {
	return NAMES.every((name) => left[name] === right[name]);
}
