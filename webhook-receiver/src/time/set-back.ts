/** Clocks of receivers that share a database may differ by this much. */
export const CLOCK_MARGIN_MS = 60_000;

/**
 * What was noted after this time was noted before the clock was set back: a pause or lease that began
 * then is over. So nothing lasts longer for it, and nobody has to set anything right.
 */
export function futureFrom(now: number): number {
	return now + CLOCK_MARGIN_MS;
}
