import { HttpError } from '../core/http-error.ts';
import type { Transaction } from './engine.ts';
import { putInto } from './statements.ts';

// The tombstones of erased letters. They hold the number that the service gave the letter, and
// nothing else.

const PUT = putInto('erased', 'message_id', { message_id: 'text', expires_at: 'bigint' });

export async function markErased(
	tx: Transaction,
	messageIds: readonly string[],
	expiresAt: number,
): Promise<void> {
	await tx.rows(PUT, [
		messageIds.map((messageId) => ({ message_id: messageId, expires_at: expiresAt })),
	]);
}

/** @throws HttpError 410 `message-erased`. Only in turn, as erasing is. */
export async function refuseErased(tx: Transaction, messageIds: readonly string[]): Promise<void> {
	const rows = (await tx.rows(
		'SELECT message_id FROM erased WHERE message_id = ANY($1) ORDER BY message_id',
		[messageIds],
	)) as Array<{ message_id: string }>;
	if (rows.length === 0) return;
	const erased = rows.map(({ message_id }) => message_id);
	const message = `The receiver was told to erase ${erased.slice(0, 3).join(', ')}${
		erased.length > 3 ? ` and ${erased.length - 3} more` : ''
	}, and follows an erased letter no more. Leave it out.`;
	throw new HttpError(410, 'message-erased', message, { messageIds: erased });
}
