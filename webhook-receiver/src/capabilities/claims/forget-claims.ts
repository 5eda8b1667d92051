import type { Db, Engine, Transaction } from '../../sql/engine.ts';
import { searched } from '../../sql/log.ts';
import { CLEAN_AT_ONCE, removeSome } from '../../sql/statements.ts';
import type { Cleaning } from '../../sql/statements.ts';
import { ANSWERS, updateClaims } from './claim-rows.ts';
import type { KeyedRow } from './claim-rows.ts';
import { aged, withoutLetters, withoutNames } from './decide-claim.ts';

/**
 * Erases letters from the answers kept under keys. The keys stay: what was sent must not be sent again.
 */
export async function eraseFromClaims(
	database: Engine,
	messageIds: readonly string[],
): Promise<void> {
	for await (const range of searched(database, ANSWERS, `state = 'sent'`)) {
		await database.transaction((tx) => eraseFromAnswers(tx, messageIds, range));
	}
}

/** Erases what names a person from these keys, whose letters have no id that is known. */
export async function eraseNamesIn(database: Engine, keys: readonly string[]): Promise<void> {
	if (keys.length === 0) return;
	await database.transaction(async (tx) => {
		const text = 'SELECT * FROM key_claims WHERE key = ANY($1) ORDER BY key FOR UPDATE';
		await updateClaims(tx, (await tx.rows<KeyedRow>(text, [keys])).map(withoutNames));
	});
}

async function eraseFromAnswers(
	tx: Transaction,
	messageIds: readonly string[],
	range: readonly [number, number],
): Promise<void> {
	const rows = await tx.rows<KeyedRow>(
		`SELECT * FROM key_claims
		WHERE state = 'sent' AND id > $1 AND id <= $2 AND EXISTS (
			SELECT 1 FROM json_to_recordset($3) AS letter (id text) WHERE strpos(answer, letter.id) > 0
		)
		ORDER BY id FOR UPDATE`,
		[...range, messageIds.map((id) => ({ id }))],
	);
	await updateClaims(
		tx,
		rows.map((row) => withoutLetters(row, messageIds)),
	);
}

/** How long n8n can still retry an execution, with room to spare. */
const OWN_KEPT_MS = 120 * 24 * 3_600_000;

/**
 * Removes keys that no user has written, once nobody can ask for them any more, and from the others whom
 * they were for, with their letters; returns whether there may be more.
 */
export async function cleanClaims(db: Db, { now, lettersBefore }: Cleaning): Promise<boolean> {
	const named = await db.rows<KeyedRow>(
		`SELECT * FROM key_claims WHERE name IS NOT NULL AND state = 'sent' AND updated_at < $1
		LIMIT ${CLEAN_AT_ONCE} FOR UPDATE SKIP LOCKED`,
		[lettersBefore],
	);
	await updateClaims(db, named.map(aged));
	const where = `is_own AND state = 'sent' AND updated_at < $1`;
	const old = { table: 'key_claims', key: 'id', where };
	const removed = await removeSome(db, old, now - OWN_KEPT_MS);
	return Math.max(named.length, removed.length) === CLEAN_AT_ONCE;
}
