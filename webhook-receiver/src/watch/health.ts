import type { ServiceAnswer } from './service.ts';

/** What a receiver knows of the service by the answers to its polls. */
export interface Health {
	/** Messages whose polls failed since the last answer that told something. */
	failing: readonly string[];
	/** Pauses for failures in a row; each doubles the one before. */
	trials: number;
	/** No poll before this time; null while the service seems well. */
	downUntil: number | null;
	/** How often in a row the service asked to wait or refused us. */
	pauses: number;
}

export const WELL: Health = { failing: [], trials: 0, downUntil: null, pauses: 0 };

/** So many messages in a row say that the service is down, not that one of them can't be read. */
const THRESHOLD = 5;

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * The health after an answer. A message that can't be read, however often, is that message's trouble,
 * and it backs off by itself; only several in a row, with nothing good between them, are the service's.
 * Then a trial tells, whichever message it is of.
 */
export function afterAnswer(
	health: Health,
	messageId: string,
	answer: ServiceAnswer,
	now: number,
): Health {
	if (tellsOfMessage(answer)) return WELL;
	if (answer.kind !== 'failed') return { ...health, pauses: health.pauses + 1 };
	const { downUntil, trials } = health;
	// What was under way when it went down says nothing new.
	if (downUntil !== null && now < downUntil) return health;
	const failing = [...new Set([...health.failing, messageId])];
	if (downUntil === null && failing.length < THRESHOLD) return { ...health, failing };
	const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(trials, 10), LONGEST_PAUSE_MS);
	return { ...health, trials: trials + 1, downUntil: now + pause };
}

export function tellsOfMessage(answer: ServiceAnswer): boolean {
	return answer.kind === 'status' || answer.kind === 'message-not-found';
}
