import { ACK_WAIT_MS } from '../core/pull-contract.ts';
import type { WakeUpResult } from '../core/pull-contract.ts';
import type { StoredWait } from '../core/wait-contract.ts';

/** Lease on a wake-up of which nothing is reported; as for a batch, *in progress* restarts it. */
export const WAKE_UP_LEASE_MS = ACK_WAIT_MS;

/** Pauses after the first, second, … failed wake-up; the last one repeats. */
const PAUSES_MS = [1, 2, 5, 10, 30, 60, 5 * 60, 30 * 60].map((seconds) => seconds * 1000);

/** By then n8n has woken the execution itself, at its own timeout. */
const AFTER_DEADLINE_MS = 24 * 3_600_000;

/** Milliseconds until a wake-up is retried; `attempts` includes the failed one. */
export function pauseAfterFailure(attempts: number): number {
	return PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? 0;
}

/** Until when to retry a ready wait: never given up before its deadline. */
export function givesUpAt(deadline: number, readyAt: number): number {
	return Math.max(deadline, readyAt) + AFTER_DEADLINE_MS;
}

/** The part of a wait that settling reads and changes. */
interface Settleable {
	state: StoredWait['state'];
	/** When a ready wait is handed out next. */
	due_at: number;
	attempts: number;
	last_result: string | null;
}

/** The wait after word of its wake-up, or null if nothing changes. */
export function settledWait<Wait extends Settleable>(
	wait: Wait,
	{ outcome, result }: WakeUpResult,
	now: number,
): Wait | null {
	const told = { ...wait, last_result: result };
	if (outcome === 'inProgress') {
		// Every pull says so: only one in a while is worth a write.
		const isKnown = wait.last_result === result && wait.due_at > now + WAKE_UP_LEASE_MS / 2;
		return isKnown || wait.state !== 'ready' ? null : { ...told, due_at: now + WAKE_UP_LEASE_MS };
	}
	const attempts = wait.attempts + 1;
	if (outcome === 'failed') return { ...told, attempts, due_at: now + pauseAfterFailure(attempts) };
	return { ...told, attempts, state: outcome };
}
