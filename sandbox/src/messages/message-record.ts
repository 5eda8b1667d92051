import { newMessageId } from '../state/ids.ts';
import type { Account, Contact, Message } from '../state/model.ts';
import type { Trigger } from '../delivery/lifecycle.ts';
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

/** Adds a letter that nobody sent to an account, with its history so far, in order. */
export function placeLetter(
	world: World,
	account: Account,
	letter: Letter,
	contact: Contact,
	happens: Trigger[],
) {
	const message = newMessage(world, account, letter, contact);
	world.deliveries.begin(message);
	return {
		message,
		impossible: happens.find((what) => !world.deliveries.apply(message, what)) ?? null,
	};
}
