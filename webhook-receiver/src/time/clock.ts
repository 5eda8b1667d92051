/** Time is passed in, so that a test of days takes milliseconds. */
export interface Clock {
	/**
	 * Milliseconds since the epoch, for what is stored, shown, or compared with others' times. An
	 * administrator or NTP may set it forward and back.
	 */
	now(): number;
	/** Monotonic milliseconds, for pauses, limits and caches in this process. */
	elapsed(): number;
	/** Runs `task` once after this time, or earlier if it exceeds Node's limit; returns its cancel function. */
	after(milliseconds: number, task: () => void): () => void;
}

/** A Node timer with a longer delay fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after(milliseconds, task) {
		const timer = setTimeout(task, Math.min(Math.max(milliseconds, 0), LONGEST_TIMER_MS));
		return () => clearTimeout(timer);
	},
};
