import type { IHookFunctions } from 'n8n-workflow';

import type { Subscription } from '../../webhook-receiver/src/contract';
import {
	callReceiver,
	receiverError,
	type ReceiverFailure,
	type ReceiverWords,
} from '../shared/receiver';

const WORDS: ReceiverWords = {
	refused: (reason) => `The webhook receiver refused the registration: ${reason}`,
	unknown: 'The webhook receiver does not know how to register workflows',
};

/**
 * Asks the receiver about one subscription (design, section Receiver API).
 *
 * @returns the answer's body; undefined when there is no such subscription to read or remove
 * @throws NodeApiError when the receiver cannot be reached, or refuses
 */
export async function askReceiver(
	context: IHookFunctions,
	method: 'GET' | 'PUT' | 'DELETE',
	key: string,
	body?: Subscription,
): Promise<unknown> {
	const path = `/subscriptions/${encodeURIComponent(key)}`;
	const request = { method, path, body, callbackUrl: body?.url };
	const result = await callReceiver(context, request, WORDS);
	if ('body' in result) return result.body;
	const { failure } = result;
	if (failure.status === 404 && method !== 'PUT') return undefined;
	throw receiverError(context, failure, describe(failure));
}

function describe({ status, reason, advice }: ReceiverFailure): string {
	const todo =
		advice ?? 'Correct the credential or the receiver, then activate the workflow again.';
	return `${status === null ? reason : 'Nothing was registered.'} ${todo}`;
}
