import type {
	INodeExecutionData,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import {
	wakeUpBodySchema,
	type WakeUpAnswer,
	type WakeUpBody,
} from '../../../webhook-receiver/src/core/wait-contract';
import { acceptedBefore, acceptOnce } from '../consumer/acceptOnce';
import {
	isSecretOf,
	readInput,
	RESUME_PATH,
	readWaitInWebhook,
	type StoredWait,
} from '../polling/storedWait';
import type { AwaitOperation } from './awaitOperation';
import { isLeftToN8n } from './deadline';
import { route, toOutputs } from './outputs';
import { runForReminder, runWithOutcomes } from './rerun';

/**
 * How n8n receives the resume request of a sleeping execution: at the execution's own URL, with a
 * suffix of these nodes. POST only, so that a mail scanner or a preview that follows the URL resumes nothing. It
 * answers once the execution is awake, with what the node says.
 */
export const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		// If omitted, n8n answers with the word firstEntryJson, not the node's response.
		responseData: '',
		path: RESUME_PATH,
		restartWebhook: true,
		isFullPath: true,
	},
];

/**
 * Takes what another node of this n8n learned, and wakes the execution with it: with its outcomes, or for a
 * reminder. Invalid requests are rejected and leave the execution asleep. Never throws:
 * n8n would wake the execution with an error, and its data would be lost.
 *
 * @param now milliseconds since 1970
 */
export function resume(
	context: IWebhookFunctions,
	operation: AwaitOperation,
	now: number,
): IWebhookResponseData {
	try {
		return readWakeUp(context, operation, now);
	} catch {
		return sleepOn(context, 500, { message: 'The node could not read its own state.' });
	}
}

function readWakeUp(
	context: IWebhookFunctions,
	operation: AwaitOperation,
	now: number,
): IWebhookResponseData {
	const body = wakeUpBodySchema.safeParse(context.getBodyData());
	if (!body.success) return sleepOn(context, 401, { wakeUp: 'refused' });
	const { waitId, secret } = body.data;
	const wait = readWaitInWebhook(context);
	// An execution may sleep repeatedly at the same URL: a late wake-up for an earlier wait is not ours.
	if (waitId !== wait.waitId) return sleepOn(context, 410, { wakeUp: 'over' });
	if (!isSecretOf(wait.secretDigest, secret)) return sleepOn(context, 401, { wakeUp: 'refused' });
	if (isLeftToN8n(wait, now)) return sleepOn(context, 410, { wakeUp: 'over' });
	const before = acceptedBefore(waitId);
	if (before !== null) return sleepOn(context, 200, { wakeUp: before });
	return accept(context, operation, wait, body.data);
}

function accept(
	context: IWebhookFunctions,
	{ outputs }: AwaitOperation,
	wait: StoredWait,
	wake: WakeUpBody,
): IWebhookResponseData {
	const input = readInput(context, wait);
	if (wake.reason === 'deadline' && wait.ends.length > 1) {
		const open = wake.outcomes.filter(({ outcome }) => outcome === 'none').map(({ id }) => id);
		const data = runForReminder(context, outputs, input, open);
		if (data !== null) return awake(context, wait, data);
		return sleepOn(context, 503, { message: 'This n8n does not let the node run again.' });
	}
	const routed = route(outputs, wait, wake);
	if (routed === null) return sleepOn(context, 422, { message: 'Outcomes are missing.' });
	return awake(context, wait, runWithOutcomes(context, toOutputs(outputs, routed, input)));
}

function awake(
	context: IWebhookFunctions,
	{ waitId }: StoredWait,
	workflowData: INodeExecutionData[][],
): IWebhookResponseData {
	acceptOnce(waitId, context.getResponseObject());
	const resumed: WakeUpAnswer = { wakeUp: 'resumed' };
	return { webhookResponse: resumed, workflowData };
}

/** Gives n8n nothing to continue with. A status inside `webhookResponse` would go out as 200. */
function sleepOn(
	context: IWebhookFunctions,
	status: number,
	answer: WakeUpAnswer | { message: string },
): IWebhookResponseData {
	context.getResponseObject().status(status).json(answer);
	return { noWebhookResponse: true };
}
