import type { DeliveryEvent } from '../core/event-contract.ts';
import type { Resume, WaitView, Wait, WaitMessage } from '../core/wait-contract.ts';
import { advance, answeredBy, outcomeOf } from '../core/outcome.ts';
import type { ListedConsent, Progress } from '../core/outcome.ts';
import { withoutQuery } from '../core/without-query.ts';
import type { BatchRow } from '../pull/batch-rows.ts';

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
	/** When to look at it, 0 for at once; null once the batch that wakes its execution is made. */
	due_at: number | null;
	created_at: number;
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

/** @param sealed its {@link Access} */
export function newRow(id: string, wait: Wait, sealed: string, now: number): WaitRow {
	return {
		id,
		instance: wait.instance,
		target: withoutQuery(wait.resumeUrl),
		sealed,
		tracked_mail_goal: wait.trackedMailGoal,
		deadline: Date.parse(wait.deadline),
		awaits: wait.consents === undefined ? 'messages' : 'consents',
		due_at: 0,
		created_at: now,
	};
}

/** The messages or consents of a new wait. */
export function newMessages(wait_id: string, { messages, consents }: Wait) {
	const awaited =
		messages?.map(({ messageId, messageType }) => ({ id: messageId, type: messageType })) ??
		consents?.map(({ consentId }) => ({ id: consentId, type: null })) ??
		[];
	return awaited.map(({ id, type }, position) => ({
		wait_id,
		position,
		message_id: id,
		message_type: type,
		is_final: false,
		has_news: true,
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

/** All of its messages, in order. */
export function toResume(waitId: string, messages: readonly WaitMessageRow[]): Resume {
	const isComplete = messages.every(({ is_final }) => is_final);
	return { waitId, reason: isComplete ? 'complete' : 'deadline', outcomes: outcomes(messages) };
}

type WakeUpRow = Pick<BatchRow, 'state' | 'attempts' | 'reason' | 'updated_at'>;

/** A wait with the batch that wakes its execution, if there is one. */
export type ShownWaitRow = WaitRow & { delivery: string | null } & {
	[Name in keyof WakeUpRow]: WakeUpRow[Name] | null;
};

export const SHOWN_WAITS = `
	SELECT waits.*, batches.id AS delivery, state, attempts, reason, updated_at
	FROM waits LEFT JOIN batches ON batches.wait = waits.id`;

export function toWaitView(row: ShownWaitRow, messages: readonly WaitMessageRow[]): WaitView {
	return {
		waitId: row.id,
		instance: row.instance,
		state: row.state ?? 'open',
		target: row.target,
		deadline: new Date(row.deadline).toISOString(),
		trackedMailGoal: row.tracked_mail_goal,
		delivery: row.delivery,
		attempts: row.attempts ?? 0,
		lastResult: row.reason,
		createdAt: new Date(row.created_at).toISOString(),
		updatedAt: new Date(row.updated_at ?? row.created_at).toISOString(),
		outcomes: outcomes(messages),
	};
}

function outcomes(messages: readonly WaitMessageRow[]) {
	return messages.map(({ message_id, progress }) => outcomeOf(message_id, readProgress(progress)));
}

function readProgress(progress: string | null): Progress | null {
	return progress === null ? null : (JSON.parse(progress) as Progress);
}
