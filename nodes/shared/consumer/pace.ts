const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** So long a receiver is away before the user is told, in milliseconds. */
export const TELL_AFTER_MS = 10 * 60_000;

/**
 * Milliseconds to wait after so many failures in a row.
 *
 * @param random from 0 to 1; spreads many consumers that lost their receiver at the same moment
 */
export function pauseAfter(failures: number, random: number): number {
	const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.max(0, failures - 1));
	return pause * (1 - random / 2);
}

/** For how long the receiver has given no answer, and whether the user has heard of it. */
export class Absence {
	/** Requests that failed in a row. */
	failures = 0;
	private since: number | null = null;
	private isTold = false;

	/** @returns true when it is time to tell the user: once for each absence */
	failed(now: number): boolean {
		this.failures++;
		this.since ??= now;
		if (this.isTold || now - this.since < TELL_AFTER_MS) return false;
		this.isTold = true;
		return true;
	}

	ended(): void {
		this.failures = 0;
		this.since = null;
		this.isTold = false;
	}
}
