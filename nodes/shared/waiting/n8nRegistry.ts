import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { instanceName } from '../consumer/consumerKey';
import { expectSleeper, findWhilePublished } from '../polling/sleeperFinder';
import { deadlineOf, wakeUpUrl, type StoredWait, type WokenByN8n } from '../polling/storedWait';
import { usableCredential } from '../transport/credential';
import {
	ANOTHER_N8N,
	dayOf,
	keyEnd,
	listSleeping,
	n8nError,
	readExecution,
	readN8n,
} from '../transport/n8nApi';
import { isTransient } from '../transport/retryPolicy';
import type { RequestFailure } from '../transport/serviceError';
import { assertN8nStays, NOTHING_BEGUN } from './awaitOperation';

/** n8n's own API finds executions that sleep, with all that they wait for in their own memory. */
export const n8nRegistry = {
	begin,
	now: async () => Date.now(),
	toStore,
	register,
	registerAgain: async (context: IExecuteFunctions) => expectSleeper(context),
	whilePublished: findWhilePublished,
};

function toStore(context: IExecuteFunctions, secret: string, since: number): WokenByN8n {
	const instance = instanceName(context.getInstanceId());
	return { secret, resumeUrl: wakeUpUrl(context), instance, since };
}

async function register(context: IExecuteFunctions, wait: StoredWait): Promise<void> {
	const end = keyEnd((await readN8n(context)).n8nApiKey);
	if (end !== null && end < deadlineOf(wait)) {
		context.addExecutionHints({
			type: 'warning',
			location: 'outputPane',
			message: `The n8n API key expires on ${dayOf(end)}, before the deadline. Replace it in the credential by then, or this execution sleeps on.`,
		});
	}
	expectSleeper(context);
}

/**
 * Checks that there is a process to ask for outcomes, that the API is this n8n's, and that its key shows it this
 * execution. A key of another user lists nothing, and says nothing else.
 */
async function begin(context: IExecuteFunctions): Promise<number> {
	assertN8nStays(context, NOTHING_BEGUN);
	const failure = await whyNotFound(context);
	if (failure !== null) throw n8nError(context, failure, NOTHING_BEGUN);
	return Date.now();
}

/** Before n8n's API is asked again, in milliseconds: one answer that went wrong must not fail the execution. */
const LOOK_AGAIN_MS = 1_000;

/** Why n8n could not find this execution while it sleeps, or null. */
async function whyNotFound(context: IExecuteFunctions): Promise<RequestFailure | null> {
	await usableCredential(context);
	const first = await lookFor(context);
	if (first === null || (first.status !== null && !isTransient(first.status))) return first;
	await sleep(LOOK_AGAIN_MS);
	return await lookFor(context);
}

async function lookFor(context: IExecuteFunctions): Promise<RequestFailure | null> {
	const credential = await readN8n(context);
	const own = await readExecution(context, credential, context.getExecutionId());
	if ('failure' in own) return own.failure;
	const workflowId = context.getWorkflow().id;
	const isThis = own.body.workflowId === workflowId && own.body.status === 'running';
	if (!isThis) return ANOTHER_N8N;
	const list = await listSleeping(context, credential, { workflowId, limit: 1 });
	return 'failure' in list ? list.failure : null;
}
