import { NO_OUTCOME } from '../core/outcome.ts';
import type { KnownOutcome } from '../core/outcome.ts';
import type { Resume, WaitView, Wait, WaitMessage } from '../core/wait-contract.ts';
import { withoutQuery } from '../core/without-query.ts';
import type { BatchRow } from '../queue/batch-rows.ts';
import { idOf, inList } from '../records/record-rows.ts';
import { insertInto, updateOf } from '../store/statements.ts';
import type { RowOf } from '../store/statements.ts';
import { iso } from '../time/iso.ts';

// Waits as stored, and how to read them.

const WAIT = {
	id: 'text',
	/** The n8n whose pulls fetch the outcomes. */
	instance: 'text',
	/** The resume URL without its query. */
	target: 'text',
	/** {@link Access}, sealed. */
	sealed: 'text',
	tracked_mail_goal: 'text',
	/** What its rows are about. */
	awaits: 'text',
	deadline: 'bigint',
	/** When to look at it, 0 for at once; null once the batch that wakes its execution is made. */
	due_at: 'bigint?',
	created_at: 'bigint',
} as const;

export type WaitRow = RowOf<typeof WAIT> & {
	tracked_mail_goal: Wait['trackedMailGoal'];
	awaits: 'messages' | 'consents';
};

export const insertWaits = insertInto('waits', WAIT);

/** What resumes an execution: secret. */
export type Access = Pick<Wait, 'resumeUrl' | 'secret'>;

const PLACE = { wait_id: 'text', position: 'integer' } as const;
const SUBJECT = { subject: 'text', message_type: 'text?' } as const;
const OUTCOME = {
	/** {@link KnownOutcome} as JSON. */
	outcome: 'text',
	is_final: 'boolean',
} as const;

export type AwaitedRow = RowOf<typeof PLACE & typeof SUBJECT & typeof OUTCOME> & {
	message_type: WaitMessage['messageType'];
};

export const insertAwaited = insertInto('awaited', {
	...PLACE,
	...SUBJECT,
	...OUTCOME,
	has_news: 'boolean',
});
export const updateAwaited = updateOf('awaited', PLACE, OUTCOME);

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

/** The letters or consents of a new wait. */
export function awaitedRows(wait_id: string, { messages, consents }: Wait) {
	const awaited =
		messages?.map(({ messageId, messageType }) => ({ subject: messageId, type: messageType })) ??
		consents?.map(({ consentId }) => ({ subject: inList('consents', consentId), type: null })) ??
		[];
	return awaited.map(({ subject, type }, position) => ({
		wait_id,
		position,
		subject,
		message_type: type,
		outcome: JSON.stringify(NO_OUTCOME),
		is_final: false,
		has_news: true,
	}));
}

/** @param awaited all of the wait, in order */
export function toResume(waitId: string, awaited: readonly AwaitedRow[]): Resume {
	const isComplete = awaited.every(({ is_final }) => is_final);
	return { waitId, reason: isComplete ? 'complete' : 'deadline', outcomes: outcomes(awaited) };
}

type WakeUpRow = Pick<BatchRow, 'state' | 'attempts' | 'reason' | 'updated_at'>;

/** A wait with the batch that wakes its execution, if there is one. */
export type ShownWaitRow = WaitRow & { batch: string | null } & {
	[Name in keyof WakeUpRow]: WakeUpRow[Name] | null;
};

export const SHOWN_WAITS = `
	SELECT waits.*, batches.id AS batch, state, attempts, reason, updated_at
	FROM waits LEFT JOIN batches ON batches.wait = waits.id`;

export function toWaitView(row: ShownWaitRow, awaited: readonly AwaitedRow[]): WaitView {
	return {
		waitId: row.id,
		instance: row.instance,
		state: row.state ?? 'open',
		target: row.target,
		deadline: iso(row.deadline),
		trackedMailGoal: row.tracked_mail_goal,
		batch: row.batch,
		attempts: row.attempts ?? 0,
		lastResult: row.reason,
		createdAt: iso(row.created_at),
		updatedAt: iso(row.updated_at ?? row.created_at),
		outcomes: outcomes(awaited),
	};
}

function outcomes(awaited: readonly AwaitedRow[]) {
	return awaited.map(({ subject, outcome }) => ({
		id: idOf(subject),
		...(JSON.parse(outcome) as KnownOutcome),
	}));
}
