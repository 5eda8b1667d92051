import { answersTo } from '../records/list-answers.ts';
import type { Engine, Fresh, Transaction } from '../store/engine.ts';
import { toEvent } from '../store/log.ts';
import type { EventRow } from '../store/log.ts';
import { columnOf } from '../store/statements.ts';
import { updateMessages, withAnswers, withNews } from './wait-rows.ts';
import type { WaitMessageRow, WaitRow } from './wait-rows.ts';

// What has happened to the messages and consents that executions wait for.

/** Stores new events and marks the waits for their messages; returns their ids. */
export async function appendEvents(
	tx: Transaction,
	engine: Engine,
	fresh: readonly Fresh[],
): Promise<string[]> {
	const ids = fresh.map(({ event }) => event.messageId);
	const [eventIds] = await Promise.all([engine.append(tx, fresh), noteNews(tx, ids)]);
	return eventIds;
}

/** Runs in the transaction that stores news of these messages or consents. */
export async function noteNews(
	tx: Transaction,
	awaitedIds: ReadonlyArray<string | null>,
): Promise<void> {
	const ids = [...new Set(awaitedIds)].filter((id) => id !== null);
	if (ids.length === 0) return;
	// Locks the wait before its messages, as `gather` does, so that the two never deadlock.
	const waits = await columnOf<string>(
		tx,
		`SELECT id FROM waits
		WHERE id IN (SELECT wait_id FROM wait_messages WHERE message_id = ANY($1))
		ORDER BY id FOR UPDATE`,
		[ids],
	);
	if (waits.length === 0) return;
	tx.news.notices.add('waits');
	await tx.rows(
		'UPDATE wait_messages SET has_news = true WHERE message_id = ANY($1) AND wait_id = ANY($2)',
		[ids, waits],
	);
	// One that is over has no time to be looked at: its news counts if it is handed out again.
	await tx.rows('UPDATE waits SET due_at = 0 WHERE id = ANY($1) AND due_at IS NOT NULL', [waits]);
}

/** Merges what is new of the wait's messages or consents; returns whether all have an outcome. */
export async function takeNews(tx: Transaction, wait: WaitRow): Promise<boolean> {
	const { id } = wait;
	const messages = await tx.rows<WaitMessageRow>(
		'UPDATE wait_messages SET has_news = false WHERE wait_id = $1 AND has_news RETURNING *',
		[id],
	);
	if (messages.length > 0) {
		const look = wait.awaits === 'consents' ? withListed : withEvents;
		await updateMessages(tx, await look(tx, messages, wait));
	}
	const open = await tx.rows(
		'SELECT 1 FROM wait_messages WHERE wait_id = $1 AND NOT is_final LIMIT 1',
		[id],
	);
	return open.length === 0;
}

async function withEvents(
	tx: Transaction,
	messages: readonly WaitMessageRow[],
	{ tracked_mail_goal }: WaitRow,
): Promise<WaitMessageRow[]> {
	const rows = await tx.rows<EventRow>(
		'SELECT sequence, event FROM events WHERE message_id = ANY($1)',
		[messages.map(({ message_id }) => message_id)],
	);
	const events = Map.groupBy(rows.map(toEvent), ({ messageId }) => messageId);
	return messages.map((row) => ({
		...row,
		...withNews(row, events.get(row.message_id) ?? [], tracked_mail_goal),
	}));
}

/** The list is the source for consents: an answer from before the first reading made no event. */
async function withListed(
	tx: Transaction,
	consents: readonly WaitMessageRow[],
): Promise<WaitMessageRow[]> {
	const answers = await answersTo(
		tx,
		consents.map(({ message_id }) => message_id),
	);
	return consents.map((row) => ({
		...row,
		...withAnswers(row, answers.get(row.message_id) ?? []),
	}));
}
