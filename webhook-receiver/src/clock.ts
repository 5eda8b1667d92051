/** Time, passed in so that retries over days are tested in milliseconds. */
export interface Clock {
	/** Milliseconds since the epoch. */
	now(): number;
	/** Runs `task` once at `time` (possibly earlier for far times); the answer cancels it. */
	at(time: number, task: () => void): () => void;
}

/** Longest delay a Node timer takes before it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
	now: Date.now,
	at(time, task) {
		const delay = Math.min(Math.max(time - Date.now(), 0), LONGEST_TIMER_MS);
		const timer = setTimeout(task, delay);
		return () => clearTimeout(timer);
	},
};
