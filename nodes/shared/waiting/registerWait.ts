import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Wait } from '../../../webhook-receiver/src/core/wait-contract';
import { instanceName } from '../consumer/consumerKey';
import { wakeUntilNoneWaits } from '../consumer/waker';
import { itemError } from '../items/itemError';
import {
	callReceiver,
	receiverError,
	type ReceiverFailure,
	type ReceiverResult,
} from '../transport/receiver';
import { uncancelled } from '../transport/uncancelled';
import { assertN8nStays, type Awaiting } from './awaiting';
import { wakeUpUrl, type Subjects } from '../following/sleeping';

const FAILURE_MESSAGES = {
	refused: (reason: string) => `The webhook receiver rejected the wait: ${reason}`,
	unknown: 'The webhook receiver does not support waiting for outcomes',
	member: 'waitId',
};

type Terms = Pick<Wait, 'secret' | 'deadline'>;

/** Tells the receiver what this execution waits for; replaces a wait of that name. */
export async function putWait(
	context: IExecuteFunctions | IWebhookFunctions,
	waitId: string,
	subjects: Subjects,
	terms: Terms,
): Promise<ReceiverResult> {
	const instance = instanceName(context.getInstanceId());
	const body = { ...terms, ...subjects, instance, resumeUrl: wakeUpUrl(context) };
	return await callReceiver(
		context,
		{ method: 'PUT', path: `/waits/${waitId}`, body },
		FAILURE_MESSAGES,
	);
}

/**
 * Registers the wait with the receiver, and makes sure that an n8n process asks for the outcomes. If it
 * throws, nothing is registered, as far as can be known.
 */
export async function registerWait(
	context: IExecuteFunctions,
	{ unwatched }: Pick<Awaiting, 'unwatched'>,
	waitId: string,
	subjects: Subjects,
	terms: Terms,
): Promise<void> {
	try {
		const result = await putWait(context, waitId, subjects, terms);
		if ('failure' in result) throw notAsleep(context, result.failure);
		const { pulling, watching } = result.body;
		await assertWoken(context, Number(pulling) || 0);
		if (watching !== true) unwatched(context, subjects);
	} catch (error) {
		// It may have been registered, with only the answer lost, or while somebody stopped the execution.
		await callReceiver(
			uncancelled(context),
			{ method: 'DELETE', path: `/waits/${waitId}` },
			FAILURE_MESSAGES,
		);
		throw itemError(context, error);
	}
}

function notAsleep(context: IExecuteFunctions, failure: ReceiverFailure) {
	const { status, reason, advice } = failure;
	const todo = advice ?? 'Correct the credential or the receiver.';
	const description = `${status === null ? `${reason} ` : ''}The execution did not go to sleep. ${todo}`;
	return receiverError(context, failure, description);
}

/**
 * Makes sure that a process asks for the outcomes. The process that published the workflow asks as
 * long as it waits for something; for a manual run this process does, since other workflows may be
 * unpublished at any time.
 *
 * @param pulling how many processes of this n8n already ask
 */
async function assertWoken(context: IExecuteFunctions, pulling: number): Promise<void> {
	if (pulling > 0 && context.getMode() !== 'manual') return;
	assertN8nStays(context, 'The execution did not go to sleep.');
	await wakeUntilNoneWaits(context);
}
