/** Lease on a wake-up while its puller posts it and reports back. */
export const WAKE_UP_LEASE_MS = 30_000;

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
