import { newMessageId } from '../state/ids.ts';
import type { Account, Attachment, Contact, Message } from '../state/model.ts';
import type { Trigger } from '../delivery/lifecycle.ts';
import type { SendRequest } from './send-request.ts';
import type { World } from '../world/world.ts';

/** Everything in a message except its contact; a sent message can serve for its own resend. */
export type Letter = Pick<
	Message,
	'type' | 'sender' | 'body' | 'fileReference' | 'customerReference' | 'includeSenderLogo'
> &
	Partial<Pick<SendRequest, 'scheduledAt'>> & { attachments: Attachment[] };

/** A message ready for delivery. */
export function newMessage(
	world: World,
	letter: Letter,
	contact: Contact,
	origin: { accountId: string; createdAt: number; resendOf: string | null },
): Message {
	let id = newMessageId();
	while (world.store.messages.has(id)) id = newMessageId();
	const scheduledAt = letter.scheduledAt ?? null;
	return {
		id,
		accountId: origin.accountId,
		sender: letter.sender,
		type: letter.type,
		status: scheduledAt === null ? 'SENT' : 'SCHEDULED',
		contact,
		body: letter.body,
		fileReference: letter.fileReference,
		customerReference: letter.customerReference,
		includeSenderLogo: letter.includeSenderLogo,
		attachments: letter.attachments,
		createdAt: origin.createdAt,
		scheduledAt,
		resendOf: origin.resendOf,
		sentAt: null,
		history: [],
	};
}

/** A letter added without being sent through the service. */
export interface PlacedLetter extends Letter {
	/** The local part of its address decides what happens next, as for any recipient. */
	contact: Contact;
	/** Its history so far, in order. */
	happens: Array<Trigger | 'cancel'>;
}

/** Adds a letter to an account, with its history so far. */
export function placeLetter(world: World, { id: accountId }: Account, letter: PlacedLetter) {
	const origin = { accountId, createdAt: world.clock.now(), resendOf: null };
	const message = newMessage(world, letter, letter.contact, origin);
	world.deliveries.accept(message);
	const apply = (what: Trigger | 'cancel') =>
		what === 'cancel' ? world.deliveries.cancel(message) : world.deliveries.apply(message, what);
	return { message, impossible: letter.happens.find((what) => !apply(what)) ?? null };
}
