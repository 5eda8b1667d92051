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
	/** Calls `task` whenever the time of `now` was set back; returns its cancel function. */
	onSetBack(task: (byMs: number) => void): () => void;
}

/** A Node timer with a longer delay fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How often to look whether the clock was set. */
const LOOK_EVERY_MS = 1_000;

/** Smaller steps are normal NTP corrections. */
const SMALLEST_STEP_MS = 500;

/** `Date.now` minus `performance.now`: changes only when the clock is set. */
const offsetOf = (time: number) => time - performance.now();

/** The furthest ahead `now` has been since the last look, for each listener. */
const looks = new Set<{ furthest: number }>();

export const systemClock: Clock = {
	now() {
		const time = Date.now();
		// Otherwise a clock that is set forward and back between two looks would go unnoticed.
		for (const look of looks) look.furthest = Math.max(look.furthest, offsetOf(time));
		return time;
	},
	elapsed: () => performance.now(),
	after(milliseconds, task) {
		const timer = setTimeout(task, Math.min(Math.max(milliseconds, 0), LONGEST_TIMER_MS));
		return () => clearTimeout(timer);
	},
	onSetBack(task) {
		const look = { furthest: offsetOf(Date.now()) };
		looks.add(look);
		const timer = setInterval(() => {
			const offset = offsetOf(Date.now());
			const byMs = look.furthest - offset;
			look.furthest = offset;
			if (byMs >= SMALLEST_STEP_MS) task(byMs);
		}, LOOK_EVERY_MS);
		return () => {
			clearInterval(timer);
			looks.delete(look);
		};
	},
};
