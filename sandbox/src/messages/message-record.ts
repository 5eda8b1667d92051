import type { Attachment, Contact, Message } from '../world/model.ts';
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
	let id = world.ids.messageId();
	while (world.store.messages.has(id)) id = world.ids.messageId();
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
