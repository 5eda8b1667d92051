import { readRetryAfter, retryDelay } from '../retry-policy.ts';

/** What came of the request to a resume URL: a status with the body's text, or why there is none. */
export type ResumeAnswer =
	| { status: number; retryAfter: string | undefined; text: string }
	| { status: null; error: string };

/** What to do next. `retry` after so many milliseconds; `refused` is somebody's mistake to mend. */
export type Verdict =
	| { kind: 'resumed' }
	| { kind: 'given-up'; reason: string }
	| { kind: 'retry' | 'refused'; delayMs: number };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** n8n answers 404 while it starts, and for an execution that was deleted. About nine minutes. */
const NOT_FOUND_MS = [2, 10, 30, 60, 120, 300].map((seconds) => seconds * SECOND);

/** n8n away or in trouble: quick at first, since a restart takes a minute, then for three days. */
const TROUBLE_MS = [
	...[2, 10, 30].map((seconds) => seconds * SECOND),
	...[1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE),
	...[1, 2, 5, 10, 14, 20, 20].map((hours) => hours * HOUR),
];

/**
 * The execution runs. Mostly it has not been saved yet, for milliseconds; or its deadline woke it, and
 * it may run for hours before it says that it has finished.
 */
const RUNNING_MS = [
	...[0.5, 1, 2, 5, 10, 30].map((seconds) => seconds * SECOND),
	...Array.from({ length: 24 * 60 }, () => MINUTE),
];

/**
 * Reads n8n 2.41's answer to a resume (design § 10): 200 done; 404 tried again for a short while; 409
 * running: tried again, finished: nothing to do any more; 410 (our node's word) the execution does not
 * wait for this any longer; 401 a wrong secret or token, which somebody has to mend; 500 (resumed twice
 * at once) and everything else tried again.
 */
export function judgeResume(attempt: {
	answer: ResumeAnswer;
	/** Attempts made so far, this one included. */
	attempts: number;
	/** From 0 to 1. */
	random: number;
	now: number;
}): Verdict {
	const { answer } = attempt;
	if (answer.status === null) return again(attempt, TROUBLE_MS, answer.error);
	if (answer.status >= 200 && answer.status < 300) return { kind: 'resumed' };
	if (answer.status === 404) return again(attempt, NOT_FOUND_MS, 'there is no such execution');
	if (answer.status === 410) {
		return { kind: 'given-up', reason: 'the execution does not wait for this any more' };
	}
	if (answer.status === 409) {
		if (!/finished/i.test(answer.text)) return again(attempt, RUNNING_MS, 'the execution runs on');
		return { kind: 'given-up', reason: 'the execution has finished' };
	}
	const verdict = again(attempt, TROUBLE_MS, `the answer was ${answer.status}`);
	const isRefusal = verdict.kind === 'retry' && answer.status >= 400 && answer.status < 429;
	return isRefusal ? { ...verdict, kind: 'refused' } : verdict;
}

function again(
	{ answer, attempts, random, now }: Parameters<typeof judgeResume>[0],
	delays: readonly number[],
	reason: string,
): Verdict {
	const retryAfterMs = answer.status === null ? null : readRetryAfter(answer.retryAfter, now);
	const delayMs = retryDelay({ attempts, retryAfterMs, random, delays });
	return delayMs === null ? { kind: 'given-up', reason } : { kind: 'retry', delayMs };
}
