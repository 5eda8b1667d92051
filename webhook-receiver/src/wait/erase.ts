import { ERASED } from '../core/outcome.ts';
import { CLEAN_STEP } from '../store/clean.ts';
import type { Cleaning } from '../store/clean.ts';
import type { Db, Transaction } from '../store/engine.ts';
import { columnOf } from '../store/statements.ts';

const ERASED_OUTCOME = JSON.stringify(ERASED);

/**
 * Erases letters, consents or customers: an execution that waits for one is told the outcome `erased`, and once it is awake its
 * row is deleted here too.
 */
export async function eraseFromWaits(tx: Transaction, subjects: readonly string[]): Promise<void> {
	// Locks the wait before what it awaits, as `gather` does.
	const waits = await columnOf<string>(
		tx,
		`SELECT id FROM waits WHERE id IN (SELECT wait_id FROM awaited WHERE subject = ANY($1))
		ORDER BY id FOR UPDATE`,
		[subjects],
	);
	if (waits.length === 0) return;
	await tx.rows('UPDATE awaited SET outcome = $2, is_final = true WHERE subject = ANY($1)', [
		subjects,
		ERASED_OUTCOME,
	]);
	await tx.rows('UPDATE waits SET due_at = 0 WHERE id = ANY($1) AND due_at IS NOT NULL', [waits]);
	const ended = await columnOf<string>(
		tx,
		`SELECT wait FROM batches WHERE wait = ANY($1) AND state IN ('done', 'dead')`,
		[waits],
	);
	await dropErased(tx, ended);
}

/** Deletes the erased letters of waits that have ended. */
export async function dropErased(db: Db, waits: readonly string[]): Promise<void> {
	if (waits.length === 0) return;
	await db.rows('DELETE FROM awaited WHERE wait_id = ANY($1) AND outcome = $2', [
		waits,
		ERASED_OUTCOME,
	]);
	const empty = await columnOf<string>(
		db,
		`SELECT id FROM waits WHERE id = ANY($1)
			AND NOT EXISTS (SELECT 1 FROM awaited WHERE wait_id = waits.id)`,
		[waits],
	);
	await removeWaits(db, empty);
}

/** Those that were woken, or given up, long ago; returns whether there may be more. */
export async function cleanWaits(db: Db, { before }: Cleaning): Promise<boolean> {
	const ids = await columnOf<string>(
		db,
		`SELECT wait FROM batches WHERE wait IS NOT NULL AND state IN ('done', 'dead')
			AND updated_at < $1 LIMIT ${CLEAN_STEP} FOR UPDATE SKIP LOCKED`,
		[before],
	);
	await removeWaits(db, ids);
	return ids.length === CLEAN_STEP;
}

/** Removes waits, with what would wake their executions. */
export async function removeWaits(db: Db, ids: readonly string[]): Promise<void> {
	if (ids.length === 0) return;
	// The waits first: one that `gather` has locked is deleted after it, so that the batch it queues goes too.
	await db.rows('DELETE FROM waits WHERE id = ANY($1)', [ids]);
	await db.rows('DELETE FROM batches WHERE wait = ANY($1)', [ids]);
	await db.rows('DELETE FROM awaited WHERE wait_id = ANY($1)', [ids]);
}
