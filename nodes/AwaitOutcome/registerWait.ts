import type { IExecuteFunctions } from 'n8n-workflow';

import type { Wait } from '../../webhook-receiver/src/wait/wait-contract';
import {
	callReceiver,
	readReceiver,
	receiverError,
	type ReceiverFailure,
	type ReceiverWords,
} from '../shared/receiver';
import { assertWebhookUrl } from '../shared/webhookUrl';
import { waitSecret } from './waitSecret';

const WORDS: ReceiverWords = {
	refused: (reason) => `The webhook receiver refused to wait: ${reason}`,
	unknown: 'The webhook receiver does not know how to wait for outcomes',
};

/**
 * Has the receiver wait (design § 10). Once this has returned the receiver will call; if it throws,
 * nothing is registered, as far as that can be known.
 */
export async function registerWait(
	context: IExecuteFunctions,
	waitId: string,
	asked: Omit<Wait, 'resumeUrl' | 'secret'>,
): Promise<void> {
	const { receiverUrl, managementToken } = await readReceiver(context);
	const resumeUrl = String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
	assertWebhookUrl(context, resumeUrl, receiverUrl);
	const wait: Wait = { ...asked, resumeUrl, secret: waitSecret(managementToken, waitId) };
	const path = `/waits/${waitId}`;
	const request = { method: 'PUT', path, body: wait, callbackUrl: resumeUrl } as const;
	const result = await callReceiver(context, request, WORDS);
	if ('failure' in result) {
		// It may have been registered, and only the answer got lost.
		await callReceiver(context, { method: 'DELETE', path }, WORDS);
		throw receiverError(context, result.failure, describe(result.failure));
	}
	hintIfUnwatched(context, result.body, asked.messages);
}

function describe({ status, reason, advice }: ReceiverFailure): string {
	const todo = advice ?? 'Correct the credential or the receiver.';
	return `${status === null ? `${reason} ` : ''}The execution did not go to sleep. ${todo}`;
}

/** The service has webhooks for tracked mail only. */
function hintIfUnwatched(
	context: IExecuteFunctions,
	body: unknown,
	messages: Wait['messages'],
): void {
	const { watching } = (body ?? {}) as { watching?: unknown };
	const isTracked = ({ messageType }: Wait['messages'][number]) =>
		messageType === 'AES' || messageType === 'MT';
	if (watching === true || messages.every(isTracked)) return;
	context.addExecutionHints({
		type: 'warning',
		location: 'outputPane',
		message:
			'The webhook receiver does not watch letters, and the delivery service tells it of tracked mail only. Registered and simple letters will leave by "No outcome yet". Set the SERVICE_ variables of the receiver.',
	});
}
