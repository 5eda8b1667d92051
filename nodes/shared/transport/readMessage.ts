import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { readMessageId } from '../fields/messageId';
import { requestService, type ServiceAnswer } from './service';
import { ServiceFailed, unexpectedAnswer } from './serviceError';

/** A piece of evidence, and the signed link to it, which expires. */
export interface Evidence {
	eventType: string;
	url: string;
}

/** A message as the service gives it; it may have more members than these (interface, Message). */
export interface ServiceMessage {
	id: string;
	/** Statuses that the pack does not know pass through. */
	status: string;
	evidences: Evidence[];
}

/**
 * Reads one message (interface, GET /messages/{id}).
 *
 * @throws ServiceFailed, also when the answer is not the interface's, or is about another message
 */
export async function requestMessage(
	context: IExecuteFunctions,
	id: string,
): Promise<ServiceMessage> {
	const request = { method: 'GET', path: `/messages/${id}` } as const;
	return messageIn(await requestService(context, request), id);
}

/** @throws ServiceFailed when the answer is not the interface's, or is about another message */
export function messageIn({ status, body }: ServiceAnswer, id: string): ServiceMessage {
	const message = readMessage(body, id);
	if (message !== null) return message;
	const expected = 'the requested message with its id, status and evidences';
	throw new ServiceFailed(unexpectedAnswer(status, body, expected));
}

/**
 * Reads the answer of `GET /messages/{id}`, with whatever it has beyond the interface. Null when it has
 * another shape, or is about another message (rules READ-02, READ-06).
 *
 * @param id the 12 digits in the request; a number in the answer gets its leading zeros back
 */
export function readMessage(body: unknown, id: string): ServiceMessage | null {
	if (!isRecord(body)) return null;
	const { status, evidences } = body;
	const given = readMessageId(body.id);
	if (!('value' in given) || given.value !== id) return null;
	if (typeof status !== 'string' || status === '') return null;
	if (!Array.isArray(evidences) || !evidences.every(isEvidence)) return null;
	return { ...body, id, status, evidences };
}

function isEvidence(entry: unknown): entry is Evidence {
	return isRecord(entry) && typeof entry.eventType === 'string' && typeof entry.url === 'string';
}
