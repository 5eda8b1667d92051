import { mergeStatus } from './merge-status.ts';
import type { Seen, WatchedEvent } from './merge-status.ts';
import { isPastLimit, nextPoll } from './pace.ts';
import type { WatchPace } from './pace.ts';
import type { ServiceAnswer } from './service.ts';
import type { WatchRecord } from './watch.ts';

export interface Decision {
	watch: WatchRecord;
	/** Null when the watch has ended. */
	nextPollAt: number | null;
	events: WatchedEvent[];
}

/** Decides what a poll changes. */
export function afterPoll(
	present: WatchRecord,
	answer: ServiceAnswer,
	now: number,
	pace: WatchPace,
): Decision {
	if (answer.kind === 'refused' || answer.kind === 'busy') {
		// It says nothing about the message, which stays due: polling as a whole is held up.
		return { watch: { ...present, problem: answer.problem }, nextPollAt: now, events: [] };
	}
	const { watch, events } = withAnswer(present, answer, now);
	if (watch.endReason !== null) return { watch, nextPollAt: null, events };
	if (isPastLimit(watch, now, pace)) {
		return { watch: { ...watch, endReason: 'limit' }, nextPollAt: null, events };
	}
	return { watch, nextPollAt: nextPoll(watch, now, pace), events };
}

function withAnswer(
	present: WatchRecord,
	answer: Exclude<ServiceAnswer, { kind: 'refused' | 'busy' }>,
	now: number,
): Seen {
	switch (answer.kind) {
		case 'status':
			return mergeStatus(present, answer, now);
		case 'message-not-found':
			return { watch: notFoundAgain(present, now), events: [] };
		default: {
			const failures = present.failures + 1;
			return { watch: { ...present, failures, problem: answer.problem }, events: [] };
		}
	}
}

/**
 * A message may be unknown for a while: just after it was sent, while the service restores a
 * backup, or behind a lagging replica. Only this many answers over this long mean that it does not
 * exist.
 */
const GONE_AFTER = { times: 5, ms: 6 * 3_600_000 };

function notFoundAgain(present: WatchRecord, now: number): WatchRecord {
	const since = present.notFound?.since ?? now;
	const times = (present.notFound?.times ?? 0) + 1;
	const isGone = times >= GONE_AFTER.times && now - since >= GONE_AFTER.ms;
	return {
		...present,
		failures: 0,
		notFound: { since, times },
		problem: `the service knows no such message, or it is not of this account (${times} answers since ${new Date(since).toISOString()})`,
		endReason: present.endReason ?? (isGone ? 'message-not-found' : null),
	};
}
