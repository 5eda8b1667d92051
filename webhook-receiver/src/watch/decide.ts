import { mergeStatus } from './merge-status.ts';
import type { WatchedEvent } from './merge-status.ts';
import { isGone, notFoundAgain } from './not-found.ts';
import { ANSWERS_LAG_MS, nextLook, nextPoll, nextTry } from './pace.ts';
import type { PaceStep } from './pace.ts';
import type { ServiceAnswer } from './service.ts';
import type { WatchRecord } from './watch.ts';

export interface WatchPace {
	/** By rising age, the first at 0. */
	delays: readonly PaceStep[];
	/** So long after its last change a message is watched no more. */
	limitMs: number;
}

export interface Decision {
	watch: WatchRecord;
	/** Null when the watch has ended. */
	nextPollAt: number | null;
	events: WatchedEvent[];
}

/** What follows from a poll. */
export function afterPoll(
	present: WatchRecord,
	answer: ServiceAnswer,
	now: number,
	pace: WatchPace,
): Decision {
	const { watch, events } = judged(present, answer, now);
	if (watch.endReason !== null) return { watch, nextPollAt: null, events };
	if (now - lastChange(watch) >= pace.limitMs) {
		return { watch: { ...watch, endReason: 'limit' }, nextPollAt: null, events };
	}
	return { watch, nextPollAt: nextAfter(watch, now, pace), events };
}

function nextAfter(watch: WatchRecord, now: number, pace: WatchPace): number {
	const { messageId, failures, notFound } = watch;
	if (failures > 0) return nextTry(messageId, failures, now);
	if (notFound !== null) return nextLook(messageId, notFound.times, now);
	return nextPoll(pace.delays, { messageId, since: lastChange(watch), now });
}

/** When to poll again after one that a webhook has overtaken: what it saw may be from before. */
export function afterOvertaken(watch: WatchRecord, now: number, pace: WatchPace): number {
	const soon = now + ANSWERS_LAG_MS;
	if (watch.either !== null) return soon;
	const { messageId } = watch;
	return Math.max(soon, nextPoll(pace.delays, { messageId, since: lastChange(watch), now }));
}

/** When a message that was just put under watch is polled first. */
export function firstPoll(messageId: string, now: number, pace: WatchPace): number {
	return nextPoll(pace.delays, { messageId, since: now, now });
}

function judged(present: WatchRecord, answer: ServiceAnswer, now: number) {
	switch (answer.kind) {
		case 'status':
			return mergeStatus(present, answer, now);
		case 'message-not-found': {
			const notFound = notFoundAgain(present.notFound, now);
			const since = new Date(notFound.since).toISOString();
			const problem = `the service knows no such message, or it is not of this account (${notFound.times} answers since ${since})`;
			const endReason = present.endReason ?? (isGone(notFound, now) ? answer.kind : null);
			return { watch: { ...present, failures: 0, notFound, problem, endReason }, events: [] };
		}
		default: {
			const failures = present.failures + 1;
			return { watch: { ...present, failures, problem: answer.problem }, events: [] };
		}
	}
}

function lastChange({ createdAt, changedAt }: WatchRecord): number {
	return Math.max(createdAt, changedAt ?? 0);
}
