import type { Watches } from '../../capability.ts';
import type { Transaction } from '../../sql/engine.ts';
import type { NewWait } from './wait-rows.ts';

/** What a wait is about is on record, and stays so for a time after its deadline. */
export async function keepRecords(
	tx: Transaction,
	watches: Watches | undefined,
	fresh: readonly NewWait[],
	keepMs: number,
): Promise<void> {
	const now = Math.max(...fresh.map(({ row }) => row.created_at));
	const messages = fresh.flatMap(({ wait }) => wait.messages ?? []);
	const unique = new Map(messages.map((one) => [one.messageId, one]));
	const letters = [...unique.values()].map(({ messageId, messageType }) => {
		return { messageId, messageType: messageType ?? undefined };
	});
	if (letters.length > 0) await watches?.follow(tx, letters, now);
	const consents = fresh.flatMap(({ wait }) => wait.consents ?? []);
	if (consents.length > 0) await watches?.expect(tx, consents, now);
	const kept = fresh.flatMap(({ row, awaited }) =>
		awaited.map(({ subject }) => ({ subject, until: row.deadline + keepMs })),
	);
	await keepUntil(tx, kept);
}

/** Keeps what would go by age while something waits for it. */
async function keepUntil(
	tx: Transaction,
	kept: ReadonlyArray<{ subject: string; until: number }>,
): Promise<void> {
	if (kept.length === 0) return;
	await tx.rows(
		`UPDATE records SET expires_at = greatest(expires_at, kept.until)
		FROM json_to_recordset($1) AS kept (subject text, until bigint)
		WHERE records.subject = kept.subject AND expires_at IS NOT NULL AND record IS NOT NULL`,
		[kept],
	);
}
