import type { DeliveryEvent } from '../core/event-contract.ts';
import type { WakeUp } from '../core/pull-contract.ts';
import { advance, answeredBy, outcomeOf } from '../core/outcome.ts';
import type { ListedConsent, Progress } from '../core/outcome.ts';
import type { StoredWait, Wait, WaitMessage } from '../core/wait-contract.ts';
import { givesUpAt } from '../wait/wake-up-policy.ts';
import { withoutQuery } from '../core/without-query.ts';

// Waits as stored, and how to read them.

export interface WaitRow {
	id: string;
	/** The n8n whose pulls fetch the outcomes. */
	instance: string;
	/** The resume URL without its query. */
	target: string;
	/** {@link Access}, sealed. */
	sealed: string;
	tracked_mail_goal: Wait['trackedMailGoal'];
	/** What its ids identify: consents use the same rows. */
	awaits: 'messages' | 'consents';
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

/** What resumes an execution: secret. */
export type Access = Pick<Wait, 'resumeUrl' | 'secret'>;

export interface WaitMessageRow {
	wait_id: string;
	position: number;
	message_id: string;
	message_type: WaitMessage['messageType'];
	/** {@link Progress} as JSON. */
	progress: string | null;
	is_final: boolean;
}

/** How many waits one call of `gather` looks at, so that it never holds up ingest. */
export const GATHER_STEP = 20;

/** @param sealed its {@link Access} */
export function newRow(id: string, wait: Wait, sealed: string, now: number): WaitRow {
	return {
		...{ id, instance: wait.instance, target: withoutQuery(wait.resumeUrl), sealed },
		...{ tracked_mail_goal: wait.trackedMailGoal, deadline: Date.parse(wait.deadline) },
		awaits: wait.consents === undefined ? 'messages' : 'consents',
		...{ state: 'open', reason: null, due_at: now, gives_up_at: null },
		...{ attempts: 0, last_result: null, created_at: now, updated_at: now },
	};
}

/** The messages or consents of a new wait. */
export function newMessages(wait_id: string, { messages, consents }: Wait) {
	const awaited =
		messages?.map(({ messageId, messageType }) => ({ id: messageId, type: messageType })) ??
		consents?.map(({ consentId }) => ({ id: consentId, type: null })) ??
		[];
	return awaited.map(({ id, type }, position) => ({
		...{ wait_id, position, message_id: id, message_type: type },
		...{ is_final: false, has_news: true },
	}));
}

/** A consent after another reading of the list. A final outcome stays. */
export function withAnswers(
	{ progress, is_final }: Pick<WaitMessageRow, 'progress' | 'is_final'>,
	listed: readonly ListedConsent[],
): Pick<WaitMessageRow, 'progress' | 'is_final'> {
	const known = readProgress(progress);
	const next = is_final ? known : (answeredBy(listed) ?? known);
	return toProgress(next);
}

/** One message after its events, in any order. */
export function withNews(
	{ message_type, progress }: Pick<WaitMessageRow, 'message_type' | 'progress'>,
	events: readonly DeliveryEvent[],
	trackedMailGoal: Wait['trackedMailGoal'],
): Pick<WaitMessageRow, 'progress' | 'is_final'> {
	const expected = { messageType: message_type, trackedMailGoal };
	const known = readProgress(progress);
	const next = events.reduce((so, event) => advance(so, event, expected), known);
	return toProgress(next);
}

function toProgress(next: Progress | null): Pick<WaitMessageRow, 'progress' | 'is_final'> {
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

export function toResume(row: WaitRow, messages: readonly WaitMessageRow[]): WakeUp['resume'] {
	return { waitId: row.id, reason: row.reason ?? 'deadline', outcomes: outcomes(messages) };
}

export function toStoredWait(row: WaitRow, messages: readonly WaitMessageRow[]): StoredWait {
	return {
		waitId: row.id,
		instance: row.instance,
		state: row.state,
		target: row.target,
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
	return messages.map(({ message_id, progress }) => outcomeOf(message_id, readProgress(progress)));
}

function readProgress(progress: string | null): Progress | null {
	return progress === null ? null : (JSON.parse(progress) as Progress);
}
