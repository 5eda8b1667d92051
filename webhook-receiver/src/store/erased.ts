import { HttpError } from '../core/http-error.ts';
import type { Db, Transaction } from './engine.ts';
import { columnOf, putInto } from './statements.ts';

// The tombstones of erased letters. They hold only the id that the service gave the letter.

export const markErased = putInto('erased', { message_id: 'text' }, { expires_at: 'bigint' });

/** Which of these messages were erased. */
export async function erasedOf(db: Db, messageIds: readonly string[]): Promise<string[]> {
	if (messageIds.length === 0) return [];
	return columnOf(
		db,
		'SELECT message_id FROM erased WHERE message_id = ANY($1) ORDER BY message_id',
		[messageIds],
	);
}

/** Until when nothing is stored of an erased letter; null if it was not erased. */
export async function erasedUntil(db: Db, messageId: string): Promise<number | null> {
	const text = 'SELECT expires_at FROM erased WHERE message_id = $1';
	const [until = null] = await columnOf<number>(db, text, [messageId]);
	return until;
}

/** @throws HttpError 410 `message-erased`. Only in turn, as erasing is. */
export async function refuseErased(tx: Transaction, messageIds: readonly string[]): Promise<void> {
	const erased = await erasedOf(tx, messageIds);
	if (erased.length === 0) return;
	const message = `The receiver was told to erase ${erased.slice(0, 3).join(', ')}${
		erased.length > 3 ? ` and ${erased.length - 3} more` : ''
	}. It no longer follows erased letters: leave them out.`;
	throw new HttpError(410, 'message-erased', message, { messageIds: erased });
}
