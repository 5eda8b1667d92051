import { backOff } from '../../time/back-off.ts';
import type { ListPageAnswer, ServiceAnswer, NoAnswer } from './service.ts';

/** What a receiver learns about the service from its poll answers. */
interface Health {
	/** Messages, and readings of lists, whose polls failed since the last useful answer. */
	failing: readonly string[];
	/** Consecutive pauses, including the current one. */
	pauses: number;
	/** No poll before this time of the process (`Clock.elapsed`). */
	pausedUntil: number;
}

export const WELL: Health = { failing: [], pauses: 0, pausedUntil: 0 };

/** This many different messages failing in a row mean an outage, not one unreadable message. */
const THRESHOLD = 5;

const WHILE_DOWN = { first: 5_000, longest: 60_000 };

/** For a service that asks us to wait without saying how long. */
const WHILE_BUSY = { first: 10_000, longest: 10 * 60_000 };

/** A service that asks for more than this is still polled again after an hour. */
const RETRY_AFTER = { shortest: 1_000, longest: 60 * 60_000 };

/** Wrong credentials stay wrong until an operator fixes them. */
const WHILE_REFUSED_MS = 5 * 60_000;

/** Of all pauses. */
export const LONGEST_PAUSE_MS = RETRY_AFTER.longest;

/**
 * The health after an answer. One unreadable message, however often it fails, backs off alone; only
 * several different ones in a row, without a success between them, mean trouble with the service.
 * After a pause a single poll probes, whichever message it is for.
 */
export function afterAnswer(
	health: Health,
	subject: string,
	answer: ServiceAnswer | ListPageAnswer,
	now: number,
): Health {
	if (answer.kind === 'status' || answer.kind === 'message-not-found') return WELL;
	if (answer.kind === 'list-page') return WELL;
	// Says nothing about the token.
	if (answer.kind === 'resellers-only') return health;
	// Polls that started before the pause say nothing new.
	if (now < health.pausedUntil) return health;
	const failing = [...new Set([...health.failing, subject])];
	const isOneMessage = health.pauses === 0 && failing.length < THRESHOLD;
	if (answer.kind === 'failed' && isOneMessage) return { ...health, failing };
	const pauses = health.pauses + 1;
	return { failing, pauses, pausedUntil: now + pauseAfter(answer, pauses) };
}

function pauseAfter(answer: NoAnswer, pauses: number): number {
	switch (answer.kind) {
		case 'refused':
			return WHILE_REFUSED_MS;
		case 'busy': {
			const { shortest, longest } = RETRY_AFTER;
			if (answer.retryAfterMs === null) return backOff(pauses, WHILE_BUSY);
			return Math.min(Math.max(answer.retryAfterMs, shortest), longest);
		}
		case 'unreachable':
		case 'failed':
			return backOff(pauses, WHILE_DOWN);
	}
}
