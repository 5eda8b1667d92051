import { backOff } from '../time/back-off.ts';
import { ACK_WAIT_MS } from '../core/pull-contract.ts';
import type { BatchSettlement } from '../core/pull-contract.ts';

/** `queued`: waits for its turn or a retry. `in-hand`: with n8n. `done`, `dead`: for the record. */
export const BATCH_STATES = ['queued', 'in-hand', 'done', 'dead'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export function isOpen({ state }: { state: BatchState }): boolean {
	return state === 'queued' || state === 'in-hand';
}

/** How often n8n may fail to start an execution before the batch is dead. About an hour. */
export const MOST_FAILURES = 20;

const PAUSES = { first: 1_000, longest: 5 * 60_000 };

/** The part of a batch that settling reads and changes. */
export interface Settleable {
	state: BatchState;
	/** The wait of a wake-up, or null. */
	wait: string | null;
	holder: string | null;
	/** When a queued batch may be handed out, or when the ack wait of one in hand ends. */
	due_at: number;
	/** How often n8n sent *nak*: hand-outs cut short by a crash don't count against a batch. */
	failures: number;
	reason: string | null;
}

/**
 * The batch after a settlement, or null if nothing changes: it is already settled, or the sender
 * does not have it in hand, which `inProgress` and `nak` require.
 */
export function settledBatch<Batch extends Settleable>(
	batch: Batch,
	{ outcome, reason }: Pick<BatchSettlement, 'outcome' | 'reason'>,
	holder: string,
	now: number,
): Batch | null {
	if (!isOpen(batch)) return null;
	const over = { ...batch, holder: null, reason: reason ?? null };
	if (outcome === 'ack') return { ...over, state: 'done' };
	if (outcome === 'term') return { ...over, state: 'dead' };
	if (batch.state !== 'in-hand' || batch.holder !== holder) return null;
	if (outcome === 'inProgress') return { ...batch, due_at: now + ACK_WAIT_MS };
	const failures = batch.failures + 1;
	// Only age makes a wake-up hopeless: see `IS_HOPELESS`.
	if (failures >= MOST_FAILURES && batch.wait === null) return { ...over, failures, state: 'dead' };
	return { ...over, failures, state: 'queued', due_at: now + backOff(failures, PAUSES) };
}
