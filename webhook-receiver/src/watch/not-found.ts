/** How often the service has said that there is no such message, without telling its status since. */
export interface NotFound {
	/** The first time; milliseconds. */
	since: number;
	times: number;
}

/**
 * A message may be unknown for a moment: just after it was sent, while the service restores a backup,
 * or behind a replica that lags. Only so many answers over so long mean that there is none.
 */
const TIMES = 5;
const HOURS = 6;

export function notFoundAgain(before: NotFound | null, now: number): NotFound {
	return { since: before?.since ?? now, times: (before?.times ?? 0) + 1 };
}

export function isGone({ since, times }: NotFound, now: number): boolean {
	return times >= TIMES && now - since >= HOURS * 3_600_000;
}
