import type { DeliveryEvent } from '../core/event-contract.ts';
import type { WakeUp } from '../core/pull-contract.ts';
import { advance, outcomeOf } from '../core/outcome.ts';
import type { Progress } from '../core/outcome.ts';
import type { StoredWait, Wait } from '../core/wait-contract.ts';
import { givesUpAt } from '../wait/wake-up-policy.ts';
import { withoutQuery } from '../operation/without-query.ts';

// Waits as stored, and how to read them.

export interface WaitRow {
	id: string;
	/** The n8n whose pulls fetch the outcomes. */
	instance: string;
	resume_url: string;
	secret: string;
	tracked_mail_goal: Wait['trackedMailGoal'];
	deadline: number;
	state: StoredWait['state'];
	reason: 'complete' | 'deadline' | null;
	/** When to look at an open wait, or to wake a ready one. */
	due_at: number;
	/** When to give up on a ready wait; null while open. */
	gives_up_at: number | null;
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
	is_final: boolean;
}

/** How many waits one call of `gather` looks at, so that it never holds up ingest. */
export const GATHER_STEP = 20;

export function newRow(id: string, wait: Wait, now: number): WaitRow {
	return {
		...{ id, instance: wait.instance, resume_url: wait.resumeUrl, secret: wait.secret },
		...{ tracked_mail_goal: wait.trackedMailGoal, deadline: Date.parse(wait.deadline) },
		...{ state: 'open', reason: null, due_at: now, gives_up_at: null },
		...{ attempts: 0, last_result: null, created_at: now, updated_at: now },
	};
}

/** One message after its events, in any order. */
export function withNews(
	{ message_type, progress }: Pick<WaitMessageRow, 'message_type' | 'progress'>,
	events: readonly DeliveryEvent[],
	trackedMailGoal: Wait['trackedMailGoal'],
): Pick<WaitMessageRow, 'progress' | 'is_final'> {
	const expected = { messageType: message_type, trackedMailGoal };
	const known = progress === null ? null : (JSON.parse(progress) as Progress);
	const next = events.reduce((so, event) => advance(so, event, expected), known);
	return {
		progress: next && JSON.stringify(next),
		is_final: next !== null && next.final !== null,
	};
}

export type WaitProgress = Pick<WaitRow, 'state' | 'reason' | 'due_at' | 'gives_up_at'>;

/** What an open wait becomes: ready, or due for another look at its deadline. */
export function afterNews(
	{ deadline }: Pick<WaitRow, 'deadline'>,
	isComplete: boolean,
	now: number,
): WaitProgress {
	if (isComplete || deadline <= now) return readyNow({ deadline }, isComplete, now);
	return { state: 'open', reason: null, due_at: deadline, gives_up_at: null };
}

/** A wait to wake at once, whatever its state. */
export function readyNow(
	{ deadline }: Pick<WaitRow, 'deadline'>,
	isComplete: boolean,
	now: number,
): WaitProgress {
	const reason = isComplete ? 'complete' : 'deadline';
	return { state: 'ready', reason, due_at: now, gives_up_at: givesUpAt(deadline, now) };
}

export function toWakeUp(row: WaitRow, messages: readonly WaitMessageRow[]): WakeUp {
	const resume = { waitId: row.id, reason: row.reason ?? 'deadline', outcomes: outcomes(messages) };
	return { resumeUrl: row.resume_url, secret: row.secret, resume };
}

export function toStoredWait(row: WaitRow, messages: readonly WaitMessageRow[]): StoredWait {
	return {
		waitId: row.id,
		instance: row.instance,
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
