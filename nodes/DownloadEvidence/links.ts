import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { callService, requestService, type ServiceResult } from '../shared/service';
import { apiError, type Failure } from '../shared/serviceError';
import { ONLY_FOR } from './fields';

/** A piece of evidence, and the signed link to it, which expires. */
export interface EvidenceLink {
	eventType: string;
	url: string;
}

/** A message's status and the links to all the evidence it has. */
export interface MessageEvidence {
	status: string;
	links: EvidenceLink[];
}

/**
 * Gets the link to one piece of evidence (interface, GET /messages/{id}/evidences/{status}).
 *
 * @throws NodeApiError that says what the message has instead (EVID-02), or that it is tracked mail,
 * which never has any (AES-07).
 */
export async function readLink(
	context: IExecuteFunctions,
	id: string,
	eventType: string,
	itemIndex: number,
): Promise<string> {
	const result = await askForLink(context, id, eventType);
	if ('body' in result) return String((result.body as IDataObject)?.url);
	const { failure } = result;
	if (failure.code === 'aes-has-no-evidence') throw trackedMail(context, failure, id, itemIndex);
	if (failure.status !== 404) throw apiError(context, failure, itemIndex);
	// The service has one code for no message, no evidence and more than one; a look at it tells.
	const message = await callService(context, { method: 'GET', path: `/messages/${id}` });
	if ('failure' in message) throw apiError(context, failure, itemIndex);
	const missing = { ...failure, ...noEvidence(id, eventType, readMessage(message.body)) };
	throw apiError(context, missing, itemIndex);
}

/**
 * Gets the links to all the evidence a message has; none yet is no error.
 *
 * @throws NodeApiError when it is tracked mail, which the list alone does not tell (AES-06, AES-07).
 */
export async function readAllLinks(
	context: IExecuteFunctions,
	id: string,
	itemIndex: number,
): Promise<MessageEvidence> {
	const path = `/messages/${id}`;
	const message = readMessage(await requestService(context, { method: 'GET', path }, itemIndex));
	if (message.links.length > 0) return message;
	const result = await askForLink(context, id, 'SENT');
	if ('failure' in result && result.failure.code === 'aes-has-no-evidence') {
		throw trackedMail(context, result.failure, id, itemIndex);
	}
	return message;
}

async function askForLink(
	context: IExecuteFunctions,
	id: string,
	eventType: string,
): Promise<ServiceResult> {
	const path = `/messages/${id}/evidences/${eventType}`;
	return await callService(context, { method: 'GET', path });
}

function readMessage(body: unknown): MessageEvidence {
	const { status, evidences } = (body ?? {}) as IDataObject;
	const list = Array.isArray(evidences) ? (evidences as IDataObject[]) : [];
	return {
		status: String(status),
		links: list.map(({ eventType, url }) => ({ eventType: String(eventType), url: String(url) })),
	};
}

function noEvidence(
	id: string,
	eventType: string,
	{ status, links }: MessageEvidence,
): Pick<Failure, 'message' | 'description'> {
	const present = links.map((link) => link.eventType);
	if (present.filter((one) => one === eventType).length > 1) {
		return {
			message: `Message ${id} has more than one piece of evidence of ${eventType}`,
			description: 'The service gives a single one only. Choose the event type All to get them.',
		};
	}
	return {
		message: `Message ${id} has no evidence of ${eventType}`,
		description: [
			`Its status is ${status}. It has evidence of: ${present.join(', ') || 'nothing yet'}.`,
			ONLY_FOR[eventType],
		]
			.filter(Boolean)
			.join('\n'),
	};
}

function trackedMail(context: IExecuteFunctions, failure: Failure, id: string, itemIndex: number) {
	const message = `Message ${id} is tracked mail, which never has evidence (${failure.code})`;
	return apiError(context, { ...failure, message }, itemIndex);
}
