import { ERASED } from '../core/outcome.ts';
import type { Db, Transaction } from './engine.ts';
import type { WaitRow } from './wait-rows.ts';

const ERASED_PROGRESS = JSON.stringify(ERASED);

/**
 * Erases messages: an execution that waits for one gets the outcome `erased`, and once it is awake its
 * row is deleted here too.
 */
export async function eraseFromWaits(
	tx: Transaction,
	messageIds: readonly string[],
	now: number,
): Promise<void> {
	const rows = await tx.rows<WaitRow>(
		`SELECT * FROM waits WHERE id IN (SELECT wait_id FROM wait_messages WHERE message_id = ANY($1))
		ORDER BY id FOR UPDATE`,
		[messageIds],
	);
	if (rows.length === 0) return;
	await tx.rows(
		`UPDATE wait_messages SET progress = $2, is_final = true, has_news = false
		WHERE message_id = ANY($1)`,
		[messageIds, ERASED_PROGRESS],
	);
	const open = rows.filter(({ state }) => state === 'open');
	await tx.rows('UPDATE waits SET due_at = least(due_at, $2) WHERE id = ANY($1)', [
		open.map(({ id }) => id),
		now,
	]);
	await dropErased(tx, rows);
}

/** Deletes erased messages of waits that have ended. */
export async function dropErased(db: Db, waits: ReadonlyArray<Pick<WaitRow, 'id' | 'state'>>) {
	const ended = waits.filter(({ state }) => state !== 'open' && state !== 'ready');
	if (ended.length === 0) return;
	const ids = ended.map(({ id }) => id);
	await db.rows('DELETE FROM wait_messages WHERE wait_id = ANY($1) AND progress = $2', [
		ids,
		ERASED_PROGRESS,
	]);
	await db.rows(
		`DELETE FROM waits WHERE id = ANY($1)
			AND NOT EXISTS (SELECT 1 FROM wait_messages WHERE wait_id = waits.id)`,
		[ids],
	);
}
