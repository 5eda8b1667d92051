import type { BatchSettlement } from '../core/pull-contract.ts';
import { settledBatch } from '../pull/settle-batch.ts';
import type { BatchRow } from './consumer-rows.ts';
import type { Transaction } from './engine.ts';
import { insertInto, updateOf } from './statements.ts';

/** Worded exactly like the partial index's condition, which the planner matches literally. */
export const IS_OPEN = `state IN ('queued', 'in-hand')`;

const STATE = {
	state: 'text',
	attempts: 'integer',
	failures: 'integer',
	holder: 'text',
	due_at: 'bigint',
	reason: 'text',
	updated_at: 'bigint',
};

/** New batches, numbered in this order. */
export const insertBatches = insertInto(
	'batches',
	{
		id: 'text',
		consumer: 'text',
		sequences: 'text',
		messages: 'text',
		size: 'bigint',
		wait: 'text',
		created_at: 'bigint',
		...STATE,
	},
	'RETURNING number',
);

/** Only the columns that change: a batch's events never do. */
export const updateBatches = updateOf('batches', { number: 'bigint' }, STATE);

export interface Settling {
	key: string;
	holder: string;
	settle: readonly BatchSettlement[];
}

/** Settles batches of a queue; returns those whose state changed, which may make something else due. */
export async function settleBatches(tx: Transaction, request: Settling, now: number) {
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
