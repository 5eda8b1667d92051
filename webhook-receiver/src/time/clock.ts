/** Time is passed in, so that a test of days takes milliseconds. */
export interface Clock {
	/** Milliseconds since the epoch. */
	now(): number;
	/** Runs `task` once at `time`, or earlier if that is far off; returns its cancel function. */
	at(time: number, task: () => void): () => void;
}

/** A Node timer with a longer delay fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
	now: Date.now,
	at(time, task) {
		const delay = Math.min(Math.max(time - Date.now(), 0), LONGEST_TIMER_MS);
		const timer = setTimeout(task, delay);
		return () => clearTimeout(timer);
	},
};
