import { toBatchRecord } from './consumer-rows.ts';
import type { BatchRow } from './consumer-rows.ts';
import type { Db } from './engine.ts';
import { erasedUntil } from './erased.ts';
import { toStoredWait } from './wait-rows.ts';
import type { WaitRow } from './wait-rows.ts';
import type { LetterRecord } from './store.ts';

/** What became of a letter; each lookup by its own index. */
export async function readLetter(db: Db, messageId: string, limit: number): Promise<LetterRecord> {
	const alone = await db.rows<BatchRow>(
		`SELECT * FROM batches WHERE length(messages) = 16 AND messages = $1
		ORDER BY number DESC LIMIT $2`,
		[JSON.stringify([messageId]), limit],
	);
	// No batch is older than the letter's first event.
	const among = await db.rows<BatchRow>(
		`SELECT * FROM batches WHERE length(messages) > 16 AND messages LIKE $1
			AND created_at >= (SELECT min(received_at) FROM events WHERE message_id = $2)
		ORDER BY created_at DESC LIMIT $3`,
		[`%"${messageId}"%`, messageId, limit],
	);
	const waits = await db.rows<WaitRow>(
		`SELECT * FROM waits WHERE id IN (SELECT wait_id FROM wait_messages WHERE message_id = $1)
		ORDER BY created_at DESC LIMIT $2`,
		[messageId, limit],
	);
	return {
		deliveries: [...alone, ...among]
			.sort((left, right) => right.number - left.number)
			.slice(0, limit)
			.map(toBatchRecord),
		waits: waits.map((row) => toStoredWait(row, [])),
		erasedUntil: await erasedUntil(db, messageId),
	};
}
