import { z } from 'zod/v4';
import { steeringOf } from '../delivery/test-address.ts';
import { json, serviceEndpoint } from '../endpoint/endpoint.ts';
import { requireCertificate } from '../http/authentication.ts';
import { readContacts, recipientSchema } from '../http/contacts.ts';
import { serviceError } from '../http/errors.ts';
import type { Caller, Contact, Message } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { findMessage, findMessages, messageId, messageIds, ofMessage } from './message-ids.ts';
import { newMessage } from './message-record.ts';

/** Section POST /messages/resend. */
export const resendMessages = serviceEndpoint({
	method: 'post',
	path: '/messages/resend',
	id: 'resendMessages',
	summary: 'Send messages again, all or none',
	body: z.object({ ids: messageIds }),
	answer: json(z.array(messageId), 201),
	errors: {
		402: ['payment-request-rejected'],
		404: ['message-not-found'],
		405: ['lre-must-use-mtls'],
		422: ['customer-not-found'],
	},
	handle(world, { caller, body }) {
		const originals = findMessages(world.store, caller.account, body.ids);
		// Rule RSND-02: all are checked before the first is sent.
		for (const original of originals) {
			requireRight(world, caller, original);
			checkResend(world, original, original.contact);
		}
		return originals.map((original) => resend(world, caller, original, original.contact));
	},
});

/** Section POST /messages/{id}/resend. */
export const resendMessage = serviceEndpoint({
	method: 'post',
	path: '/messages/{id}/resend',
	id: 'resendMessage',
	summary: 'Send a message again, to its contact or to a new one',
	params: ofMessage,
	/** At most one recipient: a resend creates one message. */
	body: z.object({ recipients: z.array(recipientSchema).max(1).default([]) }),
	answer: json(messageId, 201),
	errors: {
		402: ['payment-request-rejected'],
		404: ['message-not-found'],
		405: ['lre-must-use-mtls'],
		422: ['message-bad-contacts', 'customer-not-found'],
	},
	permit(world, { caller, params }) {
		requireRight(world, caller, findMessage(world.store, caller.account, params.id));
	},
	handle(world, { caller, params, body: { recipients } }) {
		const original = findMessage(world.store, caller.account, params.id);
		// Rule RSND-04.
		const [contact = original.contact] = readContacts(recipients, original.type);
		checkResend(world, original, contact);
		return resend(world, caller, original, contact);
	},
});

/** Rule RSND-05. */
function requireRight({ store, clock }: World, caller: Caller, { type }: Message): void {
	if (type === 'LRE') requireCertificate(store, caller, clock.now());
}

/** Rules RSND-02, RSND-03 and RSND-06. */
function checkResend(
	{ store }: World,
	{ id, sentAt, status, sender }: Message,
	contact: Contact,
): void {
	// The interface lists no other codes for what cannot be resent, and for a delegation that has ended.
	if (sentAt === null)
		throw serviceError(
			404,
			'message-not-found',
			`Message ${id} can not be resent: it is ${status}`,
		);
	if (sender !== null && store.customers.get(sender)?.state !== 'ACCEPTED')
		throw serviceError(422, 'customer-not-found', 'There is no such customer');
	if (steeringOf(contact.email) === 'unpaid')
		throw serviceError(402, 'payment-request-rejected', 'The payment for the resend was refused');
}

function resend(world: World, { account }: Caller, original: Message, contact: Contact): string {
	const letter = { ...original, scheduledAt: null };
	const message = newMessage(world, account, letter, contact, original.id);
	world.deliveries.begin(message);
	return message.id;
}
