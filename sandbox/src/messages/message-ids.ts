import { z } from 'zod/v4';
import { invalid, messageNotFound } from '../http/errors.ts';
import type { Account, Message } from '../state/model.ts';
import type { Store } from '../state/store.ts';

const MAX_IDS = 10_000;

/** Friendly ids that name several messages. */
export const messageIdsSchema = z.array(z.string().max(100)).min(1).max(MAX_IDS);

/** The caller's messages named in a request; one missing id fails them all (rule RSND-02). */
export function namedMessages(store: Store, account: Account, sent: object): Message[] {
	const ids = messageIdsSchema.safeParse((sent as { ids?: unknown }).ids);
	if (!ids.success) {
		const message = 'ids must be a list of at least one message id';
		throw invalid({ field: 'ids', rule: 'required', message });
	}
	if (new Set(ids.data).size < ids.data.length)
		throw invalid({ field: 'ids', rule: 'distinct', message: 'ids names a message twice' });
	return ids.data.map((id) => {
		const message = store.messages.get(id);
		if (message?.accountId !== account.id) throw messageNotFound();
		return message;
	});
}
