import type { DeliveryEvent } from '../contract.ts';
import { advance, outcomeOf } from '../wait/outcome.ts';
import type { Progress } from '../wait/outcome.ts';
import type { StoredWait, Wait } from '../wait/wait-contract.ts';
import type { ReadyWait } from '../wait/wait-store.ts';
import { withoutQuery } from '../without-query.ts';

// What both stores keep of waits, and how it is read.

export interface WaitRow {
	id: string;
	resume_url: string;
	secret: string;
	tracked_mail_goal: Wait['trackedMailGoal'];
	deadline: number;
	state: StoredWait['state'];
	reason: 'complete' | 'deadline' | null;
	due_at: number;
	attempts: number;
	last_result: string | null;
	created_at: number;
	updated_at: number;
}

export interface WaitMessageRow {
	wait_id: string;
	position: number;
	message_id: string;
	message_type: Wait['messages'][number]['messageType'];
	/** {@link Progress} as JSON. */
	progress: string | null;
}

/** How many waits one call of `gather` looks at, so that it never holds up ingest. */
export const GATHER_STEP = 20;

/** One message after its events, in any order. */
export function withNews(
	{ message_type, progress }: Pick<WaitMessageRow, 'message_type' | 'progress'>,
	events: readonly DeliveryEvent[],
	trackedMailGoal: Wait['trackedMailGoal'],
): { progress: string | null; isFinal: boolean } {
	const expected = { messageType: message_type, trackedMailGoal };
	const known = progress === null ? null : (JSON.parse(progress) as Progress);
	const next = events.reduce((so, event) => advance(so, event, expected), known);
	return {
		progress: next && JSON.stringify(next),
		isFinal: next !== null && next.final !== null,
	};
}

/** What an open wait comes to: ready, or to be looked at again at its deadline. */
export function afterNews(
	{ deadline }: Pick<WaitRow, 'deadline'>,
	isComplete: boolean,
	now: number,
): Pick<WaitRow, 'state' | 'reason' | 'due_at'> {
	if (isComplete) return { state: 'ready', reason: 'complete', due_at: now };
	if (deadline <= now) return { state: 'ready', reason: 'deadline', due_at: now };
	return { state: 'open', reason: null, due_at: deadline };
}

export function toReadyWait(row: WaitRow, messages: readonly WaitMessageRow[]): ReadyWait {
	const resume = { waitId: row.id, reason: row.reason ?? 'deadline', outcomes: outcomes(messages) };
	const { id, secret, attempts } = row;
	return { id, resumeUrl: row.resume_url, secret, attempts, resume };
}

export function toStoredWait(row: WaitRow, messages: readonly WaitMessageRow[]): StoredWait {
	return {
		waitId: row.id,
		state: row.state,
		target: withoutQuery(row.resume_url),
		deadline: new Date(row.deadline).toISOString(),
		trackedMailGoal: row.tracked_mail_goal,
		attempts: row.attempts,
		lastResult: row.last_result,
		createdAt: new Date(row.created_at).toISOString(),
		updatedAt: new Date(row.updated_at).toISOString(),
		outcomes: outcomes(messages),
	};
}

function outcomes(messages: readonly WaitMessageRow[]) {
	return messages.map(({ message_id, progress }) => {
		const known = progress === null ? null : (JSON.parse(progress) as Progress);
		return outcomeOf({ messageId: message_id }, known);
	});
}
