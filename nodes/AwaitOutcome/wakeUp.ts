import type {
	IExecuteData,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { wakeUpBodySchema, type WakeUpAnswer } from '../../webhook-receiver/src/core/wait-contract';
import { leaving, OUTPUT_NAMES, toOutputs } from './outputs';
import { isSecretOf, readInput, readSleeping } from './sleeping';

/**
 * How n8n receives the resume request of a sleeping execution: at the execution's own URL, without
 * a suffix. POST only, so that a mail scanner or a preview that follows the URL resumes nothing. It
 * answers once the execution is awake, with what the node says.
 */
export const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		// If omitted, n8n answers with the word firstEntryJson, not the node's response.
		responseData: '',
		path: '',
		restartWebhook: true,
		isFullPath: true,
	},
];

/**
 * Takes the outcomes that another node of this n8n fetched from the receiver, and wakes the
 * execution with them. Invalid requests are rejected and leave the execution asleep. Never throws:
 * n8n would wake the execution with an error, and its data would be lost (design § 10).
 */
export function wakeUp(context: IWebhookFunctions): IWebhookResponseData {
	try {
		return readOutcomes(context);
	} catch {
		return sleepOn(context, 500, { message: 'The node could not read its own state.' });
	}
}

function readOutcomes(context: IWebhookFunctions): IWebhookResponseData {
	const body = wakeUpBodySchema.safeParse(context.getBodyData());
	if (!body.success) return sleepOn(context, 401, { wakeUp: 'refused' });
	const sleeping = readSleeping(context);
	// A loop sleeps repeatedly at the same URL: a late wake-up for an earlier round is not ours.
	if (sleeping.waitId !== body.data.waitId) return sleepOn(context, 410, { wakeUp: 'over' });
	if (!isSecretOf(sleeping.secretDigest, body.data.secret)) {
		return sleepOn(context, 401, { wakeUp: 'refused' });
	}
	const all = leaving(sleeping, body.data);
	if (all === null) return sleepOn(context, 422, { message: 'Outcomes are missing.' });
	const resumed: WakeUpAnswer = { wakeUp: 'resumed' };
	return {
		webhookResponse: resumed,
		workflowData: withPairing(context, toOutputs(all, readInput(context, sleeping))),
	};
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

// n8n 2.41 does not run a resumed node: it marks the node as disabled and passes the outputs of
// `webhook()` through. On the way it pairs every item with the item at the same index of the input
// with the same number, so that `$('Send Letter').item` would refer to another letter, or fail. So
// the node runs once more and pairs the items itself. The data for that comes as an extra list
// after the outputs. If n8n passes them through anyway, the items are on the right outputs, just
// badly paired.

/** Follows the outputs: which input item each of their items came from. */
interface Pairing {
	items: number[][];
}

/** The outputs, with the data to pair them in another run of the node. */
function withPairing(
	context: IWebhookFunctions,
	outputs: INodeExecutionData[][],
): INodeExecutionData[][] {
	if (!willRunAgain(context, outputs)) return outputs;
	const items = outputs.map((output) =>
		output.map(({ pairedItem }) => (pairedItem as { item: number }).item),
	);
	return [...outputs, [{ json: { items } }]];
}

/** The outputs of a node that runs again after being resumed; null in any other run. */
export function outcomesOf(context: IExecuteFunctions): INodeExecutionData[][] | null {
	const { main } = context.getExecuteData().data;
	const pairing = main[OUTPUT_NAMES.length]?.[0]?.json as Pairing | undefined;
	if (!pairing) return null;
	return OUTPUT_NAMES.map((_, output) =>
		(main[output] ?? []).map((one, place) => ({
			...one,
			pairedItem: { item: pairing.items[output][place] },
		})),
	);
}

/**
 * Clears the disabled mark that n8n sets on the node. n8n has no function for it, so this edits the
 * execution's own entry, and does nothing if that is not as in n8n 2.41.
 */
function willRunAgain(context: IWebhookFunctions, outputs: INodeExecutionData[][]): boolean {
	// In the legacy execution order n8n runs a node only if its first input has items.
	const isRun = context.getWorkflowSettings().executionOrder === 'v1' || outputs[0].length > 0;
	const { executeData } = context as unknown as { executeData?: Partial<IExecuteData> };
	const node = executeData?.node;
	if (!isRun || node?.name !== context.getNode().name || node.disabled !== true) return false;
	node.disabled = false;
	return true;
}
