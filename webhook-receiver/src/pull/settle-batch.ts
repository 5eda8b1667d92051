import { ACK_WAIT_MS } from '../core/pull-contract.ts';
import type { BatchSettlement } from '../core/pull-contract.ts';
import type { BatchState } from './consumer-store.ts';

/** Times that n8n may say that it can't start an execution; then the batch is dead. About an hour. */
export const MOST_FAILURES = 20;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** What settling reads and changes of a batch. */
export interface Settleable {
	state: BatchState;
	holder: string | null;
	/** When a queued one may be handed out, or the ack wait of one in hand ends. */
	dueAt: number;
	/** How often n8n said *nak*: hand-outs that a crash cut short don't count against a batch. */
	failures: number;
	reason: string | null;
}

/**
 * The batch as a settlement leaves it, or null when that changes nothing: it is settled already, or the
 * word of somebody who doesn't have it in hand does not count.
 */
export function settledBatch(
	batch: Settleable,
	{ outcome, reason }: Pick<BatchSettlement, 'outcome' | 'reason'>,
	holder: string,
	now: number,
): Settleable | null {
	if (batch.state === 'done' || batch.state === 'dead') return null;
	const over = { ...batch, holder: null, reason: reason ?? null };
	if (outcome === 'ack') return { ...over, state: 'done' };
	if (outcome === 'term') return { ...over, state: 'dead' };
	if (batch.state !== 'in-hand' || batch.holder !== holder) return null;
	if (outcome === 'inProgress') return { ...batch, dueAt: now + ACK_WAIT_MS };
	const failures = batch.failures + 1;
	if (failures >= MOST_FAILURES) return { ...over, failures, state: 'dead' };
	return { ...over, failures, state: 'queued', dueAt: now + pauseAfter(failures) };
}

function pauseAfter(failures: number): number {
	return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}
