import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../../webhook-receiver/src/core/is-record';
import { readMessage, requestMessage, type ServiceMessage } from '../shared/transport/readMessage';
import { callService, type ServiceResult } from '../shared/transport/service';
import {
	ServiceFailed,
	unexpectedAnswer,
	type RequestFailure,
} from '../shared/transport/serviceError';
import { ONLY_FOR } from './evidenceFields';
import { httpsUrl } from './httpsUrl';

/**
 * Gets the link to one piece of evidence (interface, GET /messages/{id}/evidences/{status}).
 *
 * @throws ServiceFailed that says what the letter has instead (EVID-02), or that it is tracked mail, which
 * never has evidence (AES-07); or that the answer has no https link
 */
export async function readLink(
	context: IExecuteFunctions,
	id: string,
	eventType: string,
): Promise<string> {
	const result = await requestLink(context, id, eventType);
	if ('error' in result) {
		const { error } = result;
		const isMissing = error.status === 404 && error.code !== TRACKED_MAIL;
		throw new ServiceFailed(
			isMissing ? await missingEvidence(context, id, eventType, error) : error,
		);
	}
	const { status, body } = result;
	const url = isRecord(body) ? body.url : undefined;
	if (typeof url === 'string' && httpsUrl(url) !== null) return url;
	throw new ServiceFailed(unexpectedAnswer(status, body, 'an https link to the evidence'));
}

/**
 * Gets a message with the links to all its evidence; having none yet is not an error.
 *
 * @throws ServiceFailed if it is tracked mail, which the list alone does not show (AES-06, AES-07)
 */
export async function readAllLinks(
	context: IExecuteFunctions,
	id: string,
): Promise<ServiceMessage> {
	const message = await requestMessage(context, id);
	if (message.evidences.length > 0) return message;
	const result = await requestLink(context, id, 'SENT');
	const isTrackedMail = 'error' in result && result.error.code === TRACKED_MAIL;
	if (isTrackedMail) throw new ServiceFailed(result.error);
	return message;
}

const TRACKED_MAIL = 'aes-has-no-evidence';

async function requestLink(
	context: IExecuteFunctions,
	id: string,
	eventType: string,
): Promise<ServiceResult> {
	const path = `/messages/${id}/evidences/${eventType}`;
	const result = await callService(context, { method: 'GET', path });
	if (!('error' in result) || result.error.code !== TRACKED_MAIL) return result;
	const message = `Message ${id} is tracked mail, which never has evidence (${TRACKED_MAIL})`;
	return { ...result, error: { ...result.error, message } };
}

/**
 * The service uses one code for no message, no evidence and several pieces; the message shows which it is.
 */
async function missingEvidence(
	context: IExecuteFunctions,
	id: string,
	eventType: string,
	error: RequestFailure,
): Promise<RequestFailure> {
	const result = await callService(context, { method: 'GET', path: `/messages/${id}` });
	const message = 'body' in result ? readMessage(result.body, id) : null;
	if (message === null) return error;
	const present = message.evidences.map((evidence) => evidence.eventType);
	if (present.filter((one) => one === eventType).length > 1) {
		return {
			...error,
			message: `Message ${id} has more than one piece of evidence of ${eventType}`,
			description: "This returns only one of them. Set 'Event Type' to 'All' to get them all.",
		};
	}
	const known = `Its status is ${message.status}. It has evidence of: ${present.join(', ') || 'nothing yet'}.`;
	return {
		...error,
		message: `Message ${id} has no evidence of ${eventType}`,
		description: [known, ONLY_FOR[eventType]].filter(Boolean).join('\n'),
	};
}
