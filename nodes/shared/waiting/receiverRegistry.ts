import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Wait } from '../../../webhook-receiver/src/core/wait-contract';
import { instanceName } from '../consumer/consumerKey';
import { pauseAfter } from '../consumer/outage';
import { wakeUntilNoneWaits, wakeWhilePublished } from '../consumer/waker';
import { wakeUpUrl, type StoredWait, type Subjects } from '../polling/storedWait';
import { itemError } from '../items/itemError';
import { callReceiver, NOT_A_RECEIVER, receiverFailed } from '../transport/receiver';
import { uncancelled } from '../transport/context';
import { assertN8nStays, NOTHING_BEGUN } from './awaitOperation';
import { GRACE_MS } from './deadline';

/** The webhook receiver knows what sleeps, and n8n pulls the outcomes from it. */
export const receiverRegistry = {
	begin: askTime,
	now: async (context: IExecuteFunctions, until: number) =>
		await insist(context, until, async () => await askTime(context)),
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

async function askTime(context: IExecuteFunctions): Promise<number> {
	const request = { method: 'GET', path: '/clock' } as const;
	const result = await callReceiver(context, request, { ...FAILURE_MESSAGES, member: 'now' });
	if ('failure' in result) throw receiverFailed(context, result.failure, NOTHING_BEGUN);
	const time = Date.parse(String(result.body.now));
	if (Number.isNaN(time)) throw receiverFailed(context, NOT_A_RECEIVER, NOTHING_BEGUN);
	return time;
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
	await insist(context, wait.n8nWakesAt - GRACE_MS, async () => await put(context, wait, secret));
}

/** @param until by n8n's clock */
async function insist<T>(
	context: IExecuteFunctions,
	until: number,
	ask: () => Promise<T>,
): Promise<T> {
	for (let failures = 1; ; failures++) {
		try {
			return await ask();
		} catch (error) {
			if (Date.now() >= until) throw itemError(context, error);
			context.logger.warn((error as Error).message);
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
