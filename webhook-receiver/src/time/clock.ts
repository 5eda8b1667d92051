/** Time is passed in, so that a test of days takes milliseconds. */
export interface Clock {
	/**
	 * Milliseconds since the epoch, for what is stored, shown, due, or compared with the service's times.
	 * An administrator or NTP may set it forward and back; in a rehearsal it is the sandbox's.
	 */
	now(): number;
	/** The same by this machine, for what signatures and certificates say. */
	wall(): number;
	/** Monotonic milliseconds, for pauses, limits and caches in this process. */
	elapsed(): number;
	/** Runs `task` once after this time, or earlier if it exceeds Node's limit; returns its cancel function. */
	after(milliseconds: number, task: () => void): () => void;
	/** The same for what falls due by `now`: also once that has been set forward past it. */
	due(milliseconds: number, task: () => void): () => void;
}

/** A Node timer with a longer delay fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function after(milliseconds: number, task: () => void): () => void {
	const timer = setTimeout(task, Math.min(Math.max(milliseconds, 0), LONGEST_TIMER_MS));
	return () => clearTimeout(timer);
}

export const systemClock: Clock = {
	now: () => Date.now(),
	wall: () => Date.now(),
	elapsed: () => performance.now(),
	after,
	// Whoever sets the clock of a machine waits for what is due then, as it always was.
	due: after,
};
