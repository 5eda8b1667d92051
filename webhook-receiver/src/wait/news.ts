import type { NewEvent } from '../core/changes.ts';
import { outcomeOf } from '../core/outcome.ts';
import type { LetterRecord } from '../core/records.ts';
import { recordIn } from '../records/record-rows.ts';
import type { RecordRow } from '../records/record-rows.ts';
import type { Transaction, Turn } from '../store/engine.ts';
import { columnOf } from '../store/statements.ts';
import { updateAwaited } from './wait-rows.ts';
import type { AwaitedRow, WaitRow } from './wait-rows.ts';

// What has happened to the letters and consents that executions wait for.

/** Stores new events and marks the waits for their letters. */
export async function appendEvents(tx: Turn, events: readonly NewEvent[]): Promise<void> {
	const ids = events.map(({ messageId }) => messageId);
	await Promise.all([tx.append(events), noteNews(tx, ids)]);
}

/** Runs in the transaction in which the records of these change. */
export async function noteNews(
	tx: Transaction,
	changed: ReadonlyArray<string | null>,
): Promise<void> {
	const subjects = [...new Set(changed)].filter((subject) => subject !== null);
	if (subjects.length === 0) return;
	// Locks the wait before what it awaits, as `gather` does, so that the two never deadlock.
	const waits = await columnOf<string>(
		tx,
		`SELECT id FROM waits
		WHERE id IN (SELECT wait_id FROM awaited WHERE subject = ANY($1))
		ORDER BY id FOR UPDATE`,
		[subjects],
	);
	if (waits.length === 0) return;
	tx.notices.add('waits');
	await tx.rows(
		'UPDATE awaited SET has_news = true WHERE subject = ANY($1) AND wait_id = ANY($2)',
		[subjects, waits],
	);
	// One that is over has no time to be looked at: its news counts if it is handed out again.
	await tx.rows('UPDATE waits SET due_at = 0 WHERE id = ANY($1) AND due_at IS NOT NULL', [waits]);
}

/** Looks at the records that have changed; returns whether all outcomes are final. */
export async function takeNews(tx: Transaction, wait: WaitRow): Promise<boolean> {
	const rows = await tx.rows<AwaitedRow>(
		`UPDATE awaited SET has_news = false
		WHERE wait_id = $1 AND has_news AND NOT is_final RETURNING *`,
		[wait.id],
	);
	if (rows.length > 0) {
		const known = await recordsOf(
			tx,
			rows.map(({ subject }) => subject),
		);
		const current = rows.map((row) => ({
			...row,
			...currentOutcome(row, known.get(row.subject) ?? [], wait),
		}));
		await updateAwaited(tx, current);
	}
	const open = await tx.rows('SELECT 1 FROM awaited WHERE wait_id = $1 AND NOT is_final LIMIT 1', [
		wait.id,
	]);
	return open.length === 0;
}

type Known = Pick<LetterRecord, 'changes'> & Partial<Pick<LetterRecord, 'messageType'>>;

/**
 * The record of each, and those of newer consents of the same contact. The contact's first answer counts,
 * whichever request it answers: the service lists only the newest, so an older one shows none any more
 * (rule CONS-07).
 */
async function recordsOf(
	tx: Transaction,
	subjects: readonly string[],
): Promise<Map<string, Known[]>> {
	const rows = await tx.rows<Pick<RecordRow, 'subject' | 'record'>>(
		`SELECT subject, record, id FROM records WHERE subject = ANY($1)
		UNION ALL
		SELECT own.subject, newer.record, newer.id FROM records AS own
		JOIN records AS newer ON newer.contact = own.contact AND newer.id > own.id
		WHERE own.subject = ANY($1) AND newer.contact IS NOT NULL
		ORDER BY id`,
		[subjects],
	);
	const known = rows.flatMap((row) => {
		const record = recordIn<Known>(row);
		return record === null ? [] : [{ subject: row.subject, ...record }];
	});
	return Map.groupBy(known, ({ subject }) => subject);
}

function currentOutcome(
	{ message_type }: AwaitedRow,
	records: readonly Known[],
	{ awaits, tracked_mail_goal: trackedMailGoal }: WaitRow,
): Pick<AwaitedRow, 'outcome' | 'is_final'> {
	const messageType = records[0]?.messageType ?? message_type;
	const { outcome, isFinal } = outcomeOf(
		records.flatMap(({ changes }) => changes),
		awaits === 'consents' ? null : { messageType, trackedMailGoal },
	);
	return { outcome: JSON.stringify(outcome), is_final: isFinal };
}
