import type { BatchSettlement, ConsumerView, Pull, Wants } from '../core/pull-contract.ts';
import type { Db } from '../sql/engine.ts';
import { createTable, insertInto, putInto } from '../sql/statements.ts';
import type { RowOf } from '../sql/statements.ts';
import { futureFrom } from '../time/set-back.ts';
import { iso } from '../time/iso.ts';

// Consumers as stored, and how to read them. Times are milliseconds.

const KEY = { key: 'text' } as const;
const OTHERS = {
	/** Of the workflow, and of the node in it. */
	name: 'text',
	node: 'text',
	/** Where n8n shows the workflow, or null. */
	url: 'text?',
	/** {@link Wants} as JSON. */
	wants: 'text',
	/** The last puller that has not released it; keeps the consumer until `held_until`. */
	holder: 'text?',
	held_until: 'bigint',
	held_since: 'bigint',
	/** Every event up to this sequence is in a batch, or was not wanted. */
	position: 'bigint',
	/** The last `startFromNow` that was applied. */
	start_from_now: 'text?',
	pulled_at: 'bigint',
	/** When the holder released it, or null. */
	away_since: 'bigint?',
	rival_at: 'bigint?',
	created_at: 'bigint',
} as const;

export const CONSUMERS_TABLE = createTable('consumers', 'PRIMARY KEY (key)', { ...KEY, ...OTHERS });

export type ConsumerRow = RowOf<typeof KEY & typeof OTHERS>;

const NAMES = Object.keys(OTHERS) as Array<keyof typeof OTHERS>;

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

/** One look at the log for a consumer, in a pull. */
export interface Take
	extends Pick<Pull, 'name' | 'node' | 'url' | 'holder' | 'atOnce' | 'startFromNow'> {
	key: string;
	wants: Wants;
	/** How long the holder keeps the consumer without pulling again. */
	holdMs: number;
	settle: readonly BatchSettlement[];
	/** Where an unknown consumer begins: with events received from then on; null: at the end. */
	since: number | null;
}

/**
 * For this long after a pull ends the consumer stays with its holder, which is about to pull again.
 * Also saves a write for each of several looks within one pull.
 */
const HOLD_MARGIN_MS = 10_000;

/** Suffix `~test`: consumers of *listen for test event*, which never come back. */
export const TEST_KEY = /~test$/;

export function isHeld({ holder, held_until, pulled_at }: ConsumerRow, now: number): boolean {
	return holder !== null && held_until > now && pulled_at <= futureFrom(now);
}

export function isHeldByAnother(row: ConsumerRow, holder: string, now: number): boolean {
	return isHeld(row, now) && row.holder !== holder;
}

/** Whether the pull asks, for the first time, to skip everything earlier. */
export function startsFromNow(row: ConsumerRow, { startFromNow }: Take): boolean {
	return startFromNow !== null && startFromNow !== row.start_from_now;
}

/** The consumer held by this puller; `start` is where it begins, or null to continue. */
export function takenRow(
	row: ConsumerRow | null,
	take: Take,
	start: number | null,
	now: number,
): ConsumerRow {
	const { key, name, node, url, wants, holder, holdMs, startFromNow } = take;
	const isSame = row !== null && row.holder === holder;
	const isLongEnough = isSame && isHeld(row, now) && row.held_until >= now + holdMs;
	return {
		key,
		name,
		node,
		url,
		wants: JSON.stringify(wants),
		holder,
		held_until: isLongEnough ? row.held_until : now + holdMs + HOLD_MARGIN_MS,
		held_since: isSame ? row.held_since : now,
		position: start ?? (row as ConsumerRow).position,
		start_from_now: startFromNow ?? row?.start_from_now ?? null,
		pulled_at: isLongEnough ? row.pulled_at : now,
		away_since: null,
		rival_at: row?.rival_at ?? null,
		created_at: row?.created_at ?? now,
	};
}

export function releasedRow(row: ConsumerRow, now: number): ConsumerRow {
	return { ...row, holder: null, held_until: now, away_since: now };
}

export type ConsumerFigures = Pick<ConsumerView, 'behind' | 'queued' | 'inHand' | 'dead'> & {
	/** Arrival of the oldest event that is queued or in hand. */
	oldestAt: number | null;
};

export function toConsumerView(
	row: ConsumerRow,
	figures: ConsumerFigures,
	now: number,
): ConsumerView {
	return {
		...figures,
		key: row.key,
		name: row.name,
		node: row.node,
		url: row.url,
		wants: readWants(row),
		held: isHeld(row, now),
		pulledAt: iso(row.pulled_at),
		awaySince: iso(awaySince(row, now)),
		rivalAt: iso(row.rival_at),
		oldestAt: iso(figures.oldestAt),
		createdAt: iso(row.created_at),
	};
}

export function readWants({ wants }: Pick<ConsumerRow, 'wants'>): Wants {
	return JSON.parse(wants) as Wants;
}

/** When the holder released it, or was found gone; null while it is held. */
export function awaySince(row: ConsumerRow, now: number): number | null {
	if (isHeld(row, now)) return null;
	return row.away_since ?? row.held_until;
}
