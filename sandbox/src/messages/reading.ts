import type { Router, Request, Response } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import { z } from 'zod/v4';
import { callerOf } from '../http/authentication.ts';
import { aesHasNoEvidence, malformedPath, messageNotFound } from '../http/errors.ts';
import { evidencesOf } from './evidence.ts';
import { isTrackedMail, type Message } from '../state/model.ts';
import type { World } from '../world/world.ts';

/** Evidence event types, the path value `status` (rule EVID-01). */
export const evidenceTypeSchema = z.enum([
	'SENT',
	'RECEIVED',
	'ACCEPTED',
	'REFUSED',
	'EXPIRED',
	'UNDELIVERED',
]);

/** Reading messages (sections GET /messages/{id} and GET /messages/{id}/evidences/{status}). */
export function readingRoutes(world: World): Router {
	const router = exactRouter();
	router.get('/messages/:id', (request, response) => {
		const message = findMessage(world, request, response);
		const evidences = evidencesOf(world, message);
		response.json({ id: message.id, status: message.status, evidences });
	});
	router.get('/messages/:id/evidences/:status', (request, response) => {
		const message = findMessage(world, request, response);
		const eventType = evidenceTypeSchema.safeParse(request.params.status);
		if (!eventType.success) {
			const message = `status must be one of ${evidenceTypeSchema.options.join(', ')}`;
			throw malformedPath({ field: 'status', rule: 'enum', message });
		}
		if (isTrackedMail(message.type)) throw aesHasNoEvidence();
		// Rule EVID-02: none of that type, or more than one.
		const [evidence, ...more] = evidencesOf(world, message).filter(
			(one) => one.eventType === eventType.data,
		);
		if (!evidence || more.length > 0) throw messageNotFound();
		response.json({ url: evidence.url });
	});
	return router;
}

/** Rules READ-01 and READ-03: another account's message does not exist for the caller. */
export function findMessage(world: World, request: Request, response: Response): Message {
	const id = String(request.params.id);
	if (id.length !== 12) {
		const message = 'id must have exactly 12 digits';
		throw malformedPath({ field: 'id', rule: 'fixedLength', message });
	}
	if (!/^\d+$/.test(id))
		throw malformedPath({ field: 'id', rule: 'regex', message: 'id must have digits only' });
	const message = world.store.messages.get(id);
	if (message?.accountId !== callerOf(response).account.id) throw messageNotFound();
	return message;
}
