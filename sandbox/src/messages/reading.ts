import { z } from 'zod/v4';
import { EVIDENCE_TYPES } from '../delivery/lifecycle.ts';
import { json, serviceEndpoint } from '../endpoint/endpoint.ts';
import { serviceError } from '../http/errors.ts';
import { isTrackedMail } from '../state/model.ts';
import { named } from '../state/schemas.ts';
import { evidencesOf } from './evidence.ts';
import { findMessage, messageId, messageNotFound, ofMessage } from './message-ids.ts';

const evidenceType = z.enum(EVIDENCE_TYPES);

const evidenceLink = z.object({ url: z.url() });

/** Section GET /messages/{id}. */
export const readMessage = serviceEndpoint({
	method: 'get',
	path: '/messages/{id}',
	id: 'getMessage',
	summary: 'Status and evidences of a message',
	params: ofMessage,
	answer: json(
		named(
			'Message',
			z.object({
				id: messageId,
				status: z.string(),
				evidences: z.array(evidenceLink.extend({ eventType: evidenceType })),
			}),
		),
	),
	errors: { 404: ['message-not-found'] },
	handle(world, { caller, params }) {
		const message = findMessage(world.store, caller.account, params.id);
		return { ...message, evidences: evidencesOf(world, message) };
	},
});

/** Section GET /messages/{id}/evidences/{status}. */
export const readEvidence = serviceEndpoint({
	method: 'get',
	path: '/messages/{id}/evidences/{status}',
	id: 'getEvidence',
	summary: 'Signed link to the evidence of one event',
	params: ofMessage.extend({ status: evidenceType }),
	answer: json(evidenceLink),
	errors: { 404: ['message-not-found'], 422: ['aes-has-no-evidence'] },
	handle(world, { caller, params }) {
		const message = findMessage(world.store, caller.account, params.id);
		if (isTrackedMail(message.type))
			throw serviceError(422, 'aes-has-no-evidence', 'Tracked mail has no evidence');
		// Rule EVID-02: none of that type, or more than one.
		const [evidence, ...more] = evidencesOf(world, message).filter(
			({ eventType }) => eventType === params.status,
		);
		if (!evidence || more.length > 0) throw messageNotFound();
		return evidence;
	},
});
