/** What a lane knows of its target's health. */
export interface Breaker {
	/** Requests that failed since the last one that went well. */
	failures: number;
	/** No request before this time; null while the target seems well. */
	openUntil: number | null;
}

export const CLOSED: Breaker = { failures: 0, openUntil: null };

/** So many failures in a row say that the target is down, not that one event is refused. */
const THRESHOLD = 5;

/** The first pause; each trial that fails doubles it, up to the longest. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * The breaker after a request. While it is open no delivery spends an attempt, so that an hour of a
 * target's absence costs the few that found out, and not every event its place in the backoff table.
 */
export function afterRequest(breaker: Breaker, wentWell: boolean, now: number): Breaker {
	if (wentWell) return CLOSED;
	// What was under way when it opened says nothing new.
	if (breaker.openUntil !== null && now < breaker.openUntil) return breaker;
	const failures = breaker.failures + 1;
	if (failures < THRESHOLD) return { failures, openUntil: null };
	const pause = FIRST_PAUSE_MS * 2 ** Math.min(failures - THRESHOLD, 10);
	return { failures, openUntil: now + Math.min(pause, LONGEST_PAUSE_MS) };
}
