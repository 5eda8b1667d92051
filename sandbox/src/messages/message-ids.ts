import { z } from 'zod/v4';
import { invalid, serviceError } from '../http/errors.ts';
import type { Account, Message } from '../state/model.ts';
import type { Store } from '../state/store.ts';

/** The friendly id. */
export const messageId = z.string().length(12).regex(/^\d*$/, 'must have digits only');

/** Rule READ-01. */
export const ofMessage = z.object({ id: messageId });

const MAX_IDS = 10_000;

/** Friendly ids that name several messages. */
export const messageIds = z.array(z.string().max(100)).min(1).max(MAX_IDS);

export const messageNotFound = () =>
	serviceError(404, 'message-not-found', 'There is no such message');

/** Rule READ-03: another account's message does not exist for the caller. */
export function findMessage({ messages }: Store, account: Account, id: string): Message {
	const message = messages.get(id);
	if (message?.accountId !== account.id) throw messageNotFound();
	return message;
}

/** All of them, since one missing id fails the request (rule RSND-02). */
export function findMessages(store: Store, account: Account, ids: string[]): Message[] {
	if (new Set(ids).size < ids.length)
		throw invalid({ field: 'ids', rule: 'distinct', message: 'ids names a message twice' });
	return ids.map((id) => findMessage(store, account, id));
}
