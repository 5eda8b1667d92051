import type { NodeApiError } from 'n8n-workflow';

import { receiverError, type ReceiverContext, type ReceiverFailure } from '../receiver';

/**
 * The error of a consumer that gets nothing. n8n shows a published workflow's error without its
 * description, so what to do stands in the message.
 */
export function consumerError(context: ReceiverContext, failure: ReceiverFailure): NodeApiError {
	const { message, reason, status } = failure;
	const isUnwell = status !== null && status >= 500;
	const todo = isUnwell ? 'Check that it is well.' : 'Correct the credential or the receiver.';
	const advice = failure.advice ?? todo;
	const said = status === null ? `${message}: ${reason}` : `${message}.`;
	const whole = { ...failure, message: `${said} ${advice}` };
	return receiverError(context, whole, 'The events are kept at the receiver until then.');
}

/** The same for one that has given nothing for long; the pulling goes on. */
export function absenceError(context: ReceiverContext, failure: ReceiverFailure): NodeApiError {
	const error = consumerError(context, failure);
	error.message = `No events from the webhook receiver for ten minutes. ${error.message} This node goes on asking; you are told once.`;
	return error;
}

/** n8n itself could not read the credential. */
export function unreadableCredential(error: unknown): ReceiverFailure {
	const reason = (error as Error).message;
	const message = 'The credential of the webhook receiver cannot be read';
	return { status: null, code: null, message, reason, advice: 'Choose it again in this node.' };
}
