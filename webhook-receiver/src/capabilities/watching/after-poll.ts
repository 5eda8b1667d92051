import type { NewEvent, NewId } from '../../core/changes.ts';
import { observe } from '../../core/records.ts';
import type { LetterRecord, Watching } from '../../core/records.ts';
import { ANSWERS_LAG_MS, isPastLimit, nextPoll } from './pace.ts';
import type { WatchPace } from './pace.ts';
import { isAboutAll } from './service.ts';
import type { ServiceAnswer } from './service.ts';

/** A poll: which letter it asks for, and what was known of it when the request left. */
export interface Poll {
	messageId: string;
	asked: LetterRecord;
}

interface AfterPoll {
	record: LetterRecord;
	/** Null when the watch has ended. */
	nextPollAt: number | null;
	events: NewEvent[];
}

/** What the answer to a poll changes. */
export function afterPoll(
	present: LetterRecord,
	poll: Poll,
	answer: ServiceAnswer,
	now: number,
	pace: WatchPace,
	newId: NewId,
): AfterPoll {
	const { watch } = present;
	// A webhook or a request ended it meanwhile.
	if (watch === null || watch.endReason !== null) return over(present);
	if (isAboutAll(answer)) {
		// The message stays due.
		const held = { ...present, watch: { ...watch, problem: answer.problem } };
		return { record: held, nextPollAt: now, events: [] };
	}
	const isOvertaken = JSON.stringify(poll.asked) !== JSON.stringify(present);
	// What it saw may be from before or after what arrived meanwhile, so the letter is polled again.
	if (isOvertaken) return { record: present, nextPollAt: now + ANSWERS_LAG_MS, events: [] };
	const { record, events } =
		answer.kind === 'status'
			? observe(present, { ...answer, messageId: poll.messageId }, now, newId)
			: { record: withFailure(present, watch, answer, now), events: [] };
	if (record.watch?.endReason !== null) return over(record, events);
	if (!isPastLimit(record, now, pace)) {
		return { record, nextPollAt: nextPoll(poll.messageId, record, now, pace), events };
	}
	return over({ ...record, watch: { ...watch, ...record.watch, endReason: 'limit' } }, events);
}

function over(record: LetterRecord, events: NewEvent[] = []): AfterPoll {
	return { record, nextPollAt: null, events };
}

/**
 * A message may be unknown for a while: just after it was sent, while the service restores a
 * backup, or behind a lagging replica. Only this many answers over this long mean that it does not
 * exist.
 */
const GONE_AFTER = { times: 5, ms: 6 * 3_600_000 };

function withFailure(
	present: LetterRecord,
	watch: Watching,
	answer: Extract<ServiceAnswer, { kind: 'message-not-found' | 'failed' }>,
	now: number,
): LetterRecord {
	if (answer.kind === 'failed') {
		const failures = watch.failures + 1;
		return { ...present, watch: { ...watch, failures, problem: answer.problem } };
	}
	const since = watch.notFound?.since ?? now;
	const times = (watch.notFound?.times ?? 0) + 1;
	const isGone = times >= GONE_AFTER.times && now - since >= GONE_AFTER.ms;
	const problem = `the service knows no such message, or it is not of this account (${times} answers since ${new Date(since).toISOString()})`;
	return {
		...present,
		watch: {
			...watch,
			failures: 0,
			notFound: { since, times },
			problem,
			endReason: isGone ? 'message-not-found' : null,
		},
	};
}
