import type { Wait, WaitMessage } from '../../core/wait-contract.ts';
import { withoutQuery } from '../../core/without-query.ts';
import { inList } from '../../log/record-rows.ts';
import type { Db, Transaction } from '../../sql/engine.ts';
import { columnOf, createTable, insertInto } from '../../sql/statements.ts';
import type { RowOf } from '../../sql/statements.ts';

// Waits as stored: what is waited for, and until when. What became of it is in its records.

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

const AWAITED = {
	wait_id: 'text',
	position: 'integer',
	/** As in records. */
	subject: 'text',
	/** As far as the waiting node knows. */
	message_type: 'text?',
} as const;

export const WAITS_TABLES = `
	${createTable('waits', 'PRIMARY KEY (id)', WAIT)}
	CREATE INDEX waits_due ON waits (due_at) WHERE due_at IS NOT NULL;
	CREATE INDEX waits_open ON waits (instance) WHERE due_at IS NOT NULL;
	${createTable('awaited', 'PRIMARY KEY (wait_id, position)', AWAITED)}
	CREATE INDEX awaited_by_subject ON awaited (subject, wait_id);
	CREATE UNIQUE INDEX batches_of_waits ON batches (wait) WHERE wait IS NOT NULL;
	CREATE INDEX wake_ups_open ON batches (created_at)
		WHERE wait IS NOT NULL AND state IN ('queued', 'in-hand');
	CREATE INDEX wake_ups_due ON batches (consumer, due_at)
		WHERE wait IS NOT NULL AND state IN ('queued', 'in-hand');
	CREATE INDEX wake_ups_updated ON batches (consumer, updated_at)
		WHERE wait IS NOT NULL AND state IN ('queued', 'in-hand');
`;

export type WaitRow = RowOf<typeof WAIT> & {
	tracked_mail_goal: Wait['trackedMailGoal'];
	awaits: 'messages' | 'consents';
};
export type AwaitedRow = RowOf<typeof AWAITED> & { message_type: WaitMessage['messageType'] };

export const insertWaits = insertInto('waits', WAIT);
export const insertAwaited = insertInto('awaited', AWAITED);

/** A wait to be stored. */
export interface NewWait {
	wait: Wait;
	row: WaitRow;
	awaited: AwaitedRow[];
}

/** What resumes an execution: secret. */
export type Access = Pick<Wait, 'resumeUrl' | 'secret'>;

/** @param sealed its {@link Access} */
export function waitRow(id: string, wait: Wait, sealed: string, now: number): WaitRow {
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

/** The letters or consents of a wait. */
export function awaitedRows(wait_id: string, { messages, consents }: Wait): AwaitedRow[] {
	const awaited =
		messages?.map(({ messageId, messageType }) => ({ subject: messageId, type: messageType })) ??
		consents?.map(({ consentId }) => ({ subject: inList('consents', consentId), type: null })) ??
		[];
	return awaited.map(({ subject, type }, position) => {
		return { wait_id, position, subject, message_type: type };
	});
}

/** Once nobody has to be told of it, nothing says any more that somebody waited for what was erased. */
export async function dropErased(tx: Transaction, waits: readonly string[]): Promise<void> {
	if (waits.length === 0) return;
	await tx.rows(
		`DELETE FROM awaited WHERE wait_id = ANY($1)
			AND subject IN (SELECT subject FROM records WHERE record IS NULL)`,
		[waits],
	);
	const empty = await columnOf<string>(
		tx,
		`SELECT id FROM waits WHERE id = ANY($1)
			AND NOT EXISTS (SELECT 1 FROM awaited WHERE wait_id = waits.id)`,
		[waits],
	);
	await removeWaits(tx, empty);
}

/** Removes waits, with what would wake their executions. */
export async function removeWaits(db: Db, ids: readonly string[]): Promise<void> {
	if (ids.length === 0) return;
	// The waits first: one that `gather` has locked is deleted after it, so that the batch it queues goes too.
	await db.rows('DELETE FROM waits WHERE id = ANY($1)', [ids]);
	await db.rows('DELETE FROM batches WHERE wait = ANY($1)', [ids]);
	await db.rows('DELETE FROM awaited WHERE wait_id = ANY($1)', [ids]);
}
