import { CLOSED, afterRequest } from './breaker.ts';
import type { Breaker } from './breaker.ts';
import type { ServiceAnswer } from './service.ts';

/** What a receiver knows of the service by the answers to its polls. */
export interface Health {
	breaker: Breaker;
	/** Messages whose polls failed since the last answer that told something. */
	failing: readonly string[];
	/** How often in a row the service asked to wait or refused us. */
	pauses: number;
}

export const WELL: Health = { breaker: CLOSED, failing: [], pauses: 0 };

/**
 * The health after an answer. A message that can't be read, however often, is that message's trouble,
 * and it backs off by itself; only several in a row, with nothing good between them, are the service's.
 */
export function afterAnswer(
	health: Health,
	messageId: string,
	answer: ServiceAnswer,
	now: number,
): Health {
	if (tellsOfMessage(answer)) return WELL;
	if (answer.kind !== 'failed') return { ...health, pauses: health.pauses + 1 };
	const isOpen = health.breaker.openUntil !== null;
	if (!isOpen && health.failing.includes(messageId)) return health;
	const failing = isOpen ? health.failing : [...health.failing, messageId];
	return { ...health, failing, breaker: afterRequest(health.breaker, false, now) };
}

export function tellsOfMessage(answer: ServiceAnswer): boolean {
	return answer.kind === 'status' || answer.kind === 'message-not-found';
}
