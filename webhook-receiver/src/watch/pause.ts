import type { Health } from './health.ts';
import type { ServiceAnswer } from './service.ts';

/** Wrong credentials do not mend themselves: a person has to. */
const REFUSED_PAUSE_MS = 5 * 60_000;

/** After the first 429 that names no time; each further one in a row doubles it. */
const BUSY_PAUSE_MS = 10_000;
const LONGEST_BUSY_PAUSE_MS = 10 * 60_000;

/** A service that asks for more than this is asked again after an hour all the same. */
const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

/** How long nobody is to poll after an answer that told no status, or null to go on. */
export function pauseAfter(
	answer: ServiceAnswer,
	/** This answer included. */
	{ pauses, downUntil }: Health,
	now: number,
): number | null {
	if (answer.kind === 'refused') return REFUSED_PAUSE_MS;
	if (answer.kind === 'busy') {
		const own = Math.min(BUSY_PAUSE_MS * 2 ** Math.min(pauses - 1, 20), LONGEST_BUSY_PAUSE_MS);
		return answer.retryAfterMs === null
			? own
			: Math.min(Math.max(answer.retryAfterMs, 1_000), LONGEST_RETRY_AFTER_MS);
	}
	return downUntil !== null && downUntil > now ? downUntil - now : null;
}
