import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../shared/isRecord';
import { readMessage, type ServiceMessage } from '../shared/message';
import { requestMessage } from '../shared/requestMessage';
import { callService, type ServiceAnswer, type ServiceResult } from '../shared/service';
import { apiError, unexpectedAnswer, type Failure } from '../shared/serviceError';
import { ONLY_FOR } from './fields';
import { httpsUrl } from './httpsUrl';

/**
 * Gets the link to one piece of evidence (interface, GET /messages/{id}/evidences/{status}).
 *
 * @throws NodeApiError that says what the message has instead (EVID-02), or that it is tracked mail,
 * which never has any (AES-07); or that the answer holds no link of https.
 */
export async function readLink(
	context: IExecuteFunctions,
	id: string,
	eventType: string,
	itemIndex: number,
): Promise<string> {
	const result = await askForLink(context, id, eventType);
	if ('body' in result) return checkedLink(context, result, itemIndex);
	const { failure } = result;
	if (failure.code === 'aes-has-no-evidence') throw trackedMail(context, failure, id, itemIndex);
	if (failure.status !== 404) throw apiError(context, failure, itemIndex);
	// The service has one code for no message, no evidence and more than one; a look at it tells.
	const message = await callService(context, { method: 'GET', path: `/messages/${id}` });
	const known = 'body' in message ? readMessage(message.body, id) : null;
	const missing = known === null ? failure : { ...failure, ...noEvidence(eventType, known) };
	throw apiError(context, missing, itemIndex);
}

/**
 * Gets a message with the links to all the evidence it has; none yet is no error.
 *
 * @throws NodeApiError when it is tracked mail, which the list alone does not tell (AES-06, AES-07).
 */
export async function readAllLinks(
	context: IExecuteFunctions,
	id: string,
	itemIndex: number,
): Promise<ServiceMessage> {
	const message = await requestMessage(context, id, itemIndex);
	if (message.evidences.length > 0) return message;
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

function checkedLink(
	context: IExecuteFunctions,
	{ status, body }: ServiceAnswer,
	itemIndex: number,
): string {
	const url = isRecord(body) ? body.url : undefined;
	if (typeof url === 'string' && httpsUrl(url) !== null) return url;
	throw apiError(
		context,
		unexpectedAnswer(status, body, 'an https link to the evidence'),
		itemIndex,
	);
}

function noEvidence(
	eventType: string,
	{ id, status, evidences }: ServiceMessage,
): Pick<Failure, 'message' | 'description'> {
	const present = evidences.map((evidence) => evidence.eventType);
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
