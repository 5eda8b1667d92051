import { ACK_WAIT_MS } from '../core/pull-contract.ts';
import type { BatchSettlement } from '../core/pull-contract.ts';
import type { Transaction } from '../sql/engine.ts';
import { newId } from '../sql/new-id.ts';
import { createTable, insertInto, numbered, updateOf } from '../sql/statements.ts';
import type { RowOf } from '../sql/statements.ts';
import { settledBatch } from './plan-batches.ts';
import type { BatchContent, BatchState } from './plan-batches.ts';

// Batches as stored, and how to read them. Times are milliseconds.

const NUMBER = { number: 'bigint' } as const;
const FIXED = {
	id: 'text',
	/** The key of the consumer it is for, or the queue of an n8n's wake-ups. */
	consumer: 'text',
	/** The wait whose execution it wakes; null for a batch of events. */
	wait: 'text?',
	created_at: 'bigint',
} as const;
const CONTENTS = {
	/** Sequences of its events, ascending, as a JSON array. */
	sequences: 'text',
	/** Ids of what they are about, as a JSON array: letters, consents, customers. */
	subjects: 'text',
	/** Characters in the events' JSON. */
	size: 'bigint',
} as const;
const STATE = {
	state: 'text',
	/** How often it was handed out. */
	attempts: 'integer',
	/** How often n8n failed to start an execution. */
	failures: 'integer',
	holder: 'text?',
	/** When a queued batch may be handed out, or when the ack wait of one in hand ends. */
	due_at: 'bigint',
	reason: 'text?',
	updated_at: 'bigint',
} as const;

export const BATCHES_TABLE = `
	${createTable('batches', numbered('number'), { ...FIXED, ...CONTENTS, ...STATE }, 'UNIQUE (id)')}
	CREATE INDEX batches_open ON batches (consumer, number)
		WHERE state IN ('queued', 'in-hand');
	CREATE INDEX batches_dead ON batches (consumer, number) WHERE state = 'dead';
	CREATE INDEX batches_settled ON batches (updated_at, state)
		WHERE state IN ('done', 'dead');
`;

type NewBatchRow = RowOf<typeof FIXED & typeof CONTENTS & typeof STATE> & {
	state: BatchState;
};
export type BatchRow = NewBatchRow & RowOf<typeof NUMBER>;

/** Worded exactly like the partial index's condition, which the planner matches literally. */
export const IS_OPEN = `state IN ('queued', 'in-hand')`;

/** New batches, numbered in this order. */
export const insertBatches = insertInto(
	'batches',
	{ ...FIXED, ...CONTENTS, ...STATE },
	'RETURNING number',
);

/** Only the columns that change: a batch's events never do, unless they are erased. */
export const updateBatches = updateOf('batches', NUMBER, STATE);
export const updateContents = updateOf('batches', NUMBER, CONTENTS);

export function sequencesOf({ sequences }: Pick<BatchRow, 'sequences'>): number[] {
	return JSON.parse(sequences) as number[];
}

export function subjectsOf({ subjects }: Pick<BatchRow, 'subjects'>): string[] {
	return JSON.parse(subjects) as string[];
}

/** Where an n8n's wake-ups queue. No consumer has such a key: it ends with a separator. */
export function wakeUpQueue(instance: string): string {
	return `${instance}~`;
}

/** Queued, like {@link queuedRow}. */
export function eventsRow(
	consumer: string,
	{ events, subjects, size }: BatchContent,
	now: number,
): NewBatchRow {
	const sequences = JSON.stringify(events.map(({ sequence }) => sequence));
	return queuedRow({ consumer, sequences, subjects: JSON.stringify(subjects), size }, now);
}

const NO_EVENTS = { wait: null, sequences: '[]', subjects: '[]', size: 0, reason: null };

/** A batch that has not been handed out yet, with a new id. */
export function queuedRow(
	batch: Pick<BatchRow, 'consumer'> & Partial<Pick<BatchRow, keyof typeof NO_EVENTS>>,
	now: number,
): NewBatchRow {
	return {
		...NO_EVENTS,
		...batch,
		id: newId('bat', now),
		state: 'queued',
		attempts: 0,
		failures: 0,
		holder: null,
		due_at: now,
		created_at: now,
		updated_at: now,
	};
}

export function handedOut<Row extends NewBatchRow>(row: Row, holder: string, now: number): Row {
	const attempts = row.attempts + 1;
	const due_at = now + ACK_WAIT_MS;
	return { ...row, state: 'in-hand', attempts, holder, due_at, updated_at: now };
}

/** What a holder reports of batches of a queue. */
export interface Settling {
	key: string;
	holder: string;
	settle: readonly BatchSettlement[];
}

/** Settles batches of a queue; returns those whose state changed, which may make something else due. */
export async function settleBatches(
	tx: Transaction,
	request: Settling,
	now: number,
): Promise<BatchRow[]> {
	if (request.settle.length === 0) return [];
	// In a fixed order, so that two requests never deadlock.
	const rows = await tx.rows<BatchRow>(
		'SELECT * FROM batches WHERE consumer = $1 AND id = ANY($2) ORDER BY number FOR UPDATE',
		[request.key, request.settle.map(({ batch }) => batch)],
	);
	const byId = new Map(rows.map((row) => [row.id, row]));
	const settled = new Map<string, BatchRow>();
	for (const settlement of request.settle) {
		const row = settled.get(settlement.batch) ?? byId.get(settlement.batch);
		const next = row && settledBatch(row, settlement, request.holder, now);
		if (next) settled.set(next.id, { ...next, updated_at: now });
	}
	await updateBatches(tx, [...settled.values()]);
	// A restarted ack wait alone does not count.
	return [...settled.values()].filter(({ id, state }) => state !== byId.get(id)?.state);
}
