import type { DeliveryEvent } from '../core/event-contract.ts';
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

type Stored = Omit<DeliveryEvent, 'id' | 'sequence'>;

/** Those without a message id of their own that have the number of an erased letter in them. */
export async function mentionsOfErased<E extends Stored>(
	db: Db,
	events: readonly E[],
): Promise<Set<E>> {
	const numbers = events
		.filter(({ messageId }) => messageId === null)
		.map((event) => [event, JSON.stringify(event).match(MESSAGE_IDS) ?? []] as const);
	const erased = new Set(await erasedOf(db, [...new Set(numbers.flatMap(([, all]) => all))]));
	const mentions = numbers.filter(([, all]) => all.some((number) => erased.has(number)));
	return new Set(mentions.map(([event]) => event));
}

const MESSAGE_IDS = /(?<!\d)\d{12}(?!\d)/g;

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
