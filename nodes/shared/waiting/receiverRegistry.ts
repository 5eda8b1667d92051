import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Wait } from '../../../webhook-receiver/src/core/wait-contract';
import { instanceName } from '../consumer/consumerKey';
import { pauseAfter } from '../consumer/outage';
import { wakeUntilNoneWaits, wakeWhilePublished } from '../consumer/waker';
import { deadlineOf, wakeUpUrl, type StoredWait, type Subjects } from '../polling/storedWait';
import { itemError } from '../items/itemError';
import { callReceiver, CONSUMERS_MESSAGES, receiverFailed } from '../transport/receiver';
import { uncancelled } from '../transport/uncancelled';
import { assertN8nStays } from './awaitOperation';

/** The webhook receiver knows what sleeps, and n8n pulls the outcomes from it. */
export const receiverRegistry = {
	assertReachable,
	toStore: () => null,
	register,
	registerAgain,
	whilePublished: wakeWhilePublished,
};

const FAILURE_MESSAGES = {
	refused: (reason: string) => `The webhook receiver rejected the wait: ${reason}`,
	unknown: 'The webhook receiver does not support waiting for outcomes',
	member: 'waitId',
};

async function assertReachable(context: IExecuteFunctions, consequence: string): Promise<void> {
	const result = await callReceiver(
		context,
		{ method: 'GET', path: '/consumers' },
		CONSUMERS_MESSAGES,
	);
	if ('failure' in result) throw receiverFailed(context, result.failure, consequence);
}

async function register(
	context: IExecuteFunctions,
	wait: StoredWait,
	secret: string,
	unwatched: (context: IExecuteFunctions, subjects: Subjects) => void,
): Promise<void> {
	const path = `/waits/${wait.waitId}`;
	try {
		const { watching } = await put(context, wait, secret);
		if (watching !== true) unwatched(context, wait.subjects);
	} catch (error) {
		// It may have been registered, with only the answer lost, or while somebody stopped the execution.
		await callReceiver(uncancelled(context), { method: 'DELETE', path }, FAILURE_MESSAGES);
		throw itemError(context, error);
	}
}

async function registerAgain(
	context: IExecuteFunctions,
	wait: StoredWait,
	secret: string,
): Promise<void> {
	for (let failures = 1; ; failures++) {
		try {
			await put(context, wait, secret);
			return;
		} catch (error) {
			context.logger.warn((error as Error).message);
			if (Date.now() >= deadlineOf(wait)) throw itemError(context, error);
			await sleep(pauseAfter(failures, Math.random()), context.getExecutionCancelSignal());
		}
	}
}

/** Tells the receiver, and makes sure that an n8n process asks it for the outcomes. */
async function put(context: IExecuteFunctions, wait: StoredWait, secret: string) {
	const { waitId, subjects, ends } = wait;
	const instance = instanceName(context.getInstanceId());
	const firstEnd: Pick<Wait, 'secret' | 'deadline'> = { secret, deadline: ends[0] };
	const body = { ...firstEnd, ...subjects, instance, resumeUrl: wakeUpUrl(context) };
	const request = { method: 'PUT', path: `/waits/${waitId}`, body } as const;
	const result = await callReceiver(context, request, FAILURE_MESSAGES);
	if ('failure' in result) throw receiverFailed(context, result.failure, NOT_ASLEEP);
	await assertWoken(context, Number(result.body.pulling) || 0);
	return result.body;
}

const NOT_ASLEEP = 'The execution did not go to sleep.';

/**
 * Makes sure that a process asks for the outcomes. The process that published the workflow asks as
 * long as it waits for something; for a manual run this process does, since other workflows may be
 * unpublished at any time.
 *
 * @param pulling how many processes of this n8n already ask
 */
async function assertWoken(context: IExecuteFunctions, pulling: number): Promise<void> {
	if (pulling > 0 && context.getMode() !== 'manual') return;
	assertN8nStays(context, NOT_ASLEEP);
	await wakeUntilNoneWaits(context);
}
