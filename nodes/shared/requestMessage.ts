import type { IExecuteFunctions } from 'n8n-workflow';

import { MESSAGE_SHAPE, readMessage, type ServiceMessage } from './message';
import { requestService } from './service';
import { apiError, unexpectedAnswer } from './serviceError';

/**
 * Reads one message (interface, GET /messages/{id}).
 *
 * @throws NodeApiError also when the answer is none of the interface, or about another message.
 */
export async function requestMessage(
	context: IExecuteFunctions,
	id: string,
	itemIndex: number,
): Promise<ServiceMessage> {
	const request = { method: 'GET', path: `/messages/${id}` } as const;
	const { status, body } = await requestService(context, request, itemIndex);
	const message = readMessage(body, id);
	if (message !== null) return message;
	throw apiError(context, unexpectedAnswer(status, body, MESSAGE_SHAPE), itemIndex);
}
