/** Pauses before the second, third, … attempt (design § 7); after the last one a delivery is dead. */
export const RETRY_DELAYS_MS: readonly number[] = [
	5_000,
	5 * 60_000,
	30 * 60_000,
	...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3_600_000),
];

/** Later by up to this share, so that what failed together does not come back together. */
const JITTER = 0.2;

/** A target that asks for more than this is asked again after a day all the same. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/** Milliseconds until the next attempt, or null when there is none. */
export function retryDelay(attempt: {
	/** Attempts made so far, the failed one included. */
	attempts: number;
	/** What `Retry-After` asked for. */
	retryAfterMs: number | null;
	/** From 0 to 1. */
	random: number;
	delays: readonly number[];
}): number | null {
	const delay = attempt.delays[attempt.attempts - 1];
	if (delay === undefined) return null;
	const asked = Math.min(attempt.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS);
	return Math.max(Math.round(delay * (1 + JITTER * attempt.random)), asked);
}

/** Reads `Retry-After`, seconds or an HTTP date, into milliseconds from now. */
export function readRetryAfter(header: string | undefined, now: number): number | null {
	if (header === undefined) return null;
	if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
	// Without words in it, Date.parse makes a date of "-3" and "7200.5" too.
	const time = /[a-z]/i.test(header) ? Date.parse(header) : NaN;
	return Number.isNaN(time) ? null : Math.max(time - now, 0);
}
