import type { Router } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import { z } from 'zod/v4';
import { callerOf, requireCertificate, type Caller } from '../http/authentication.ts';
import { customerNotFound, invalid, notResendable, paymentRejected } from '../http/errors.ts';
import { messageIdsSchema, namedMessages } from './message-ids.ts';
import { newMessage } from './message-record.ts';
import { recipientSchema } from '../http/contacts.ts';
import type { Contact, Message } from '../state/model.ts';
import { findMessage } from './reading.ts';
import { readBody } from '../http/request-body.ts';
import { readContacts } from './send-request.ts';
import { testAddressOf } from '../delivery/test-address.ts';
import type { World } from '../world/world.ts';

/** At most one recipient: a resend creates one message. */
const recipientsSchema = z.array(z.unknown()).max(1).nullish();

export const resendBody = z.object({ ids: messageIdsSchema });
export const resendToBody = z.object({ recipients: z.array(recipientSchema).max(1).optional() });

/** Resending (sections POST /messages/resend and POST /messages/{id}/resend). */
export function resendingRoutes(world: World): Router {
	const router = exactRouter();
	router.post('/messages/resend', async (request, response) => {
		const { sent } = await readBody(world, request, response, {
			members: resendBody,
			fileField: null,
			jsonFields: [],
			listFields: ['ids'],
		});
		const caller = callerOf(response);
		const originals = namedMessages(world.store, caller.account, sent);
		// Rule RSND-02: all are checked before the first is sent.
		const resends = originals.map((original) => ({ original, contact: original.contact }));
		for (const resend of resends) {
			requireRight(world, caller, resend.original);
			checkResend(world, caller, resend);
		}
		response.status(201).json(resends.map((resend) => send(world, caller, resend)));
	});

	router.post('/messages/:id/resend', async (request, response) => {
		const original = findMessage(world, request, response);
		const { sent } = await readBody(world, request, response, {
			members: resendToBody,
			fileField: null,
			jsonFields: ['recipients'],
			optional: true,
		});
		const caller = callerOf(response);
		requireRight(world, caller, original);
		const resend = { original, contact: newContact(sent, original) ?? original.contact };
		checkResend(world, caller, resend);
		response.status(201).json(send(world, caller, resend));
	});
	return router;
}

interface Resend {
	original: Message;
	contact: Contact;
}

/** Rule RSND-05. */
function requireRight(world: World, caller: Caller, { type }: Message): void {
	if (type === 'LRE') requireCertificate(world.store, caller, world.clock.now());
}

/** Rules RSND-03 and RSND-06. */
function checkResend(world: World, caller: Caller, { original, contact }: Resend): void {
	if (original.sentAt === null) throw notResendable(original.id, original.status);
	if (original.sender !== null) {
		const customer = world.store.customers.get(original.sender);
		// The delegation has ended: the interface lists no other code for a resend.
		if (customer?.state !== 'ACCEPTED') throw customerNotFound();
	}
	if (caller.account.paymentRefused || testAddressOf(contact.email) === 'unpaid')
		throw paymentRejected();
}

function send(world: World, { account }: Caller, { original, contact }: Resend): string {
	const origin = {
		accountId: account.id,
		createdAt: world.clock.now(),
		resendOf: original.id,
	};
	const message = newMessage(world, { ...original, scheduledAt: null }, contact, origin);
	world.deliveries.accept(message);
	return message.id;
}

/** The new contact to resend to, or null for the original one (rule RSND-04). */
function newContact(sent: object, { type }: Message): Contact | null {
	const recipients = recipientsSchema.safeParse((sent as { recipients?: unknown }).recipients);
	if (!recipients.success) {
		const message = 'recipients takes a list of one recipient';
		throw invalid({ field: 'recipients', rule: 'maxLength', message });
	}
	const [contact] = readContacts(recipients.data ?? [], type);
	return contact ?? null;
}
