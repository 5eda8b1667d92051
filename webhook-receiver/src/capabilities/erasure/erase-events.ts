import type { Db, Transaction } from '../../sql/engine.ts';
import { EVENTS, fitting, searched } from '../../sql/log.ts';
import type { EventRow } from '../../sql/log.ts';
import { columnOf } from '../../sql/statements.ts';

/** How many events one step removes, so that it never holds up ingest. */
const ERASED_AT_ONCE = 2_000;

/** Sequences of events without a message id of their own that have one of these ids in them. */
export async function mentionsOf(db: Db, messageIds: readonly string[]): Promise<number[]> {
	const mentions: number[] = [];
	if (messageIds.length === 0) return mentions;
	const isMention = new RegExp(`(?<!\\d)(?:${messageIds.join('|')})(?!\\d)`);
	for await (const range of searched(db, EVENTS, 'message_id IS NULL')) {
		const rows = await db.rows<EventRow>(
			`SELECT sequence, event FROM events
			WHERE message_id IS NULL AND sequence > $1 AND sequence <= $2
				AND EXISTS (
					SELECT 1 FROM json_to_recordset($3) AS letter (id text) WHERE strpos(event, letter.id) > 0
				)`,
			[...range, messageIds.map((id) => ({ id }))],
		);
		for (const { sequence, event } of rows) if (isMention.test(event)) mentions.push(sequence);
	}
	return mentions;
}

/** Erases a step of these letters' events and of those; returns their sequences, none when all are gone. */
export function eraseEvents(
	tx: Transaction,
	messageIds: readonly string[],
	sequences: readonly number[],
): Promise<number[]> {
	return columnOf(
		tx,
		`DELETE FROM events WHERE sequence IN ${fitting(
			`WHERE message_id = ANY($1) OR sequence = ANY($2) ORDER BY sequence LIMIT ${ERASED_AT_ONCE}`,
		)} RETURNING sequence`,
		[messageIds, sequences],
	);
}
