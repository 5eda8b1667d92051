import type { Router } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import { callerOf, requireCertificate, type Caller } from '../http/authentication.ts';
import { iso } from '../state/clock.ts';
import { lreForCustomerUnavailable } from '../http/errors.ts';
import { newMessage } from './message-record.ts';
import type { Attachment } from '../state/model.ts';
import { readBody } from '../http/request-body.ts';
import { requireAccepted } from '../customers/sender.ts';
import { readSendRequest, sendBody, typeOf, type SendRequest } from './send-request.ts';
import { asAttachment, discard } from '../http/upload.ts';
import type { World } from '../world/world.ts';

/** Sending messages (section POST /messages/bulk_send). */
export function sendingRoutes(world: World): Router {
	const router = exactRouter();
	router.post('/messages/bulk_send', async (request, response) => {
		const { sent, files } = await readBody(world, request, response, {
			members: sendBody,
			fileField: 'attachments',
			jsonFields: ['recipients'],
			flags: ['includeSenderLogo'],
		});
		try {
			const attachments = files.map(asAttachment);
			response.status(201).json(send(world, callerOf(response), sent, attachments));
		} catch (error) {
			await discard(files);
			throw error;
		}
	});
	return router;
}

function send(world: World, caller: Caller, sent: object, attachments: Attachment[]) {
	const now = world.clock.now();
	if (typeOf(sent) === 'LRE') requireCertificate(world.store, caller, now);
	const request = readSendRequest(sent, attachments.length, now);
	const sender = readSender(world, caller, request);
	const origin = { accountId: caller.account.id, createdAt: now, resendOf: null };
	const messages = request.contacts.map((contact) => {
		const message = newMessage(world, { ...request, sender, attachments }, contact, origin);
		world.deliveries.accept(message);
		return message;
	});
	return {
		body: request.body,
		createdAt: iso(now),
		type: request.type,
		customerReference: request.customerReference,
		fileReference: request.fileReference,
		messages: messages.map(({ id }) => ({ id })),
	};
}

/** Rules SEND-06 and SEND-10. */
function readSender(world: World, { account }: Caller, { sender, type }: SendRequest) {
	if (sender === null) return null;
	const { id } = requireAccepted(world.store, account, sender);
	if (type === 'LRE') throw lreForCustomerUnavailable();
	return id;
}
