import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { expectAsleep } from '../following/follower';
import {
	oncePerRun,
	readCredential,
	usableCredential,
	type NodeContext,
} from '../transport/credential';
import {
	ANOTHER_N8N,
	dayOf,
	keyEnd,
	listSleeping,
	n8nError,
	readExecution,
	readN8n,
	type N8nFailure,
} from '../transport/n8nApi';
import { isTransient } from '../transport/retryPolicy';
import { assertN8nStays } from './awaiting';

/**
 * Whether n8n itself follows, and not a receiver.
 *
 * @throws NodeOperationError where the credential has neither
 */
export async function isFollowedByN8n(context: NodeContext): Promise<boolean> {
	const { followWith } = await readCredential(context);
	if (followWith === 'receiver' || followWith === 'n8n') return followWith === 'n8n';
	throw new NodeOperationError(context.getNode(), 'The credential follows no letters', {
		description:
			"Open the credential, and choose 'Webhook Receiver' or 'This n8n' under 'Follow Letters With': this node needs one of them to learn of the outcome while the execution sleeps. Nobody was asked, and the execution did not go to sleep.",
	});
}

/** Before n8n's API is asked again, in milliseconds: one answer that went wrong must not fail the execution. */
const AGAIN_MS = 1_000;

/** Why n8n could not find this execution while it sleeps, or null. */
const problem = oncePerRun(async (context) => {
	await usableCredential(context);
	const first = await lookFor(context);
	if (first === null || (first.status !== null && !isTransient(first.status))) return first;
	await sleep(AGAIN_MS);
	return await lookFor(context);
});

async function lookFor(context: IExecuteFunctions): Promise<N8nFailure | null> {
	const credential = await readN8n(context);
	const own = await readExecution(context, credential, context.getExecutionId());
	if ('failure' in own) return own.failure;
	const workflowId = context.getWorkflow().id;
	const isThis = own.body.workflowId === workflowId && own.body.status === 'running';
	if (!isThis) return ANOTHER_N8N;
	const list = await listSleeping(context, credential, { workflowId, limit: 1 });
	return 'failure' in list ? list.failure : null;
}

/**
 * Checks that outcomes can reach the execution: that there is a process to ask for them, that the API is this
 * n8n's, and that its key shows it this execution. A key of another user lists nothing, and says nothing else.
 *
 * @param consequence what was not done
 */
export async function assertFollowable(
	context: IExecuteFunctions,
	consequence: string,
): Promise<void> {
	assertN8nStays(context, consequence);
	const failure = await problem(context);
	if (failure !== null) throw n8nError(context, failure, consequence);
}

/** The execution is about to sleep, with all that it waits for in its own memory. */
export async function letN8nFollow(context: IExecuteFunctions, deadline: number): Promise<void> {
	await assertFollowable(context, 'The execution did not go to sleep.');
	const end = keyEnd((await readN8n(context)).n8nApiKey);
	if (end !== null && end < deadline) {
		context.addExecutionHints({
			type: 'warning',
			location: 'outputPane',
			message: `The n8n API key expires on ${dayOf(end)}, before the deadline. Replace it in the credential by then, or this execution sleeps on.`,
		});
	}
	expectAsleep(context);
}
