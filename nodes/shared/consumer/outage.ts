/** How long a receiver may be silent before the user is told, in milliseconds. */
const TELL_AFTER_MS = 10 * 60_000;

/**
 * How long an n8n that has just started tolerates another holder of its consumer: its previous
 * process, killed while the receiver was down, counts as alive for half a minute.
 */
export const PREDECESSOR_MS = 45_000;

/**
 * How long a rejected trigger fails to reopen, since n8n 2.41 shows a workflow's error only while
 * it does. Must stay below the 15 s after which n8n makes its fifth and last try, or n8n gives the
 * trigger up for good.
 */
const SHOWN_MS = 12_000;

/** A run of failures at a receiver, and what the user has been told of it. */
export class Outage {
	/** Consecutive failed requests. */
	failures = 0;
	private since: number | null = null;
	private refusedSince: number | null = null;
	private refusalToldAt: number | null = null;
	private isAbsenceTold = false;

	/**
	 * @param refusal whether it lasts until somebody fixes something
	 * @param patience how long a refusal may last before the user is told, in milliseconds
	 * @returns what to tell the user now: each thing once per outage
	 */
	failed(
		{ refusal, patience }: { refusal: boolean; patience: number },
		now: number,
	): 'refused' | 'away' | null {
		this.failures++;
		// The clock may have been set back meanwhile.
		this.since = Math.min(this.since ?? now, now);
		if (refusal) {
			this.refusedSince ??= now;
			if (this.refusalToldAt === null && now - this.refusedSince >= patience) {
				this.refusalToldAt = now;
				return 'refused';
			}
		}
		if (this.isAbsenceTold || now - this.since < TELL_AFTER_MS) return null;
		this.isAbsenceTold = true;
		return 'away';
	}

	get isRefused(): boolean {
		return this.refusedSince !== null;
	}

	/** Whether n8n should still show that the receiver rejects it. */
	isShown(now: number): boolean {
		return this.refusalToldAt !== null && now - this.refusalToldAt < SHOWN_MS;
	}
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Milliseconds to wait after so many consecutive failures.
 *
 * @param random from 0 to 1; spreads many consumers that lost their receiver at the same moment
 */
export function pauseAfter(failures: number, random: number, longest = LONGEST_PAUSE_MS): number {
	const pause = Math.min(longest, FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1));
	return pause * (1 - random / 2);
}
