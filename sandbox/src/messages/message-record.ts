import { newMessageId } from '../state/ids.ts';
import type { Account, Contact, Message } from '../state/model.ts';
import type { World } from '../world/world.ts';

/** What a message has besides what its sender said of it. */
type Own =
	| 'id'
	| 'accountId'
	| 'status'
	| 'contact'
	| 'createdAt'
	| 'resendOf'
	| 'sentAt'
	| 'history';

/** What its sender says, the same for each contact; a message can serve for its own resend. */
export type Letter = Omit<Message, Own>;

/** A message ready for delivery. */
export function newMessage(
	{ store, clock }: World,
	{ id: accountId }: Account,
	letter: Letter,
	contact: Contact,
	resendOf: string | null = null,
): Message {
	let id = newMessageId();
	while (store.messages.has(id)) id = newMessageId();
	return {
		...letter,
		id,
		accountId,
		status: letter.scheduledAt === null ? 'SENT' : 'SCHEDULED',
		contact,
		createdAt: clock.now(),
		resendOf,
		sentAt: null,
		history: [],
	};
}
