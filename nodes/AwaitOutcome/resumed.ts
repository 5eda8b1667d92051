import type {
	IExecuteData,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
} from 'n8n-workflow';

import { OUTPUT_NAMES } from './outputs';

// n8n 2.41 does not run a node that was resumed: it marks it as disabled and passes the outputs of
// `webhook()` through. On that way it pairs every item with the one at the same place of the same
// number of input, so that `$('Send Letter').item` would tell of another letter, or fail. So the node is
// run once more, to pair the items itself. What it needs comes as one more list behind the outputs.
// Should n8n pass them through all the same, they are on their outputs, and only paired badly.

/** Behind the outputs: which input item each of their items was. */
interface Pairing {
	items: number[][];
}

/** The outputs, with what is needed to pair them in a further run of the node. */
export function withPairing(
	context: IWebhookFunctions,
	outputs: INodeExecutionData[][],
): INodeExecutionData[][] {
	if (!willRunAgain(context, outputs)) return outputs;
	const items = outputs.map((output) =>
		output.map(({ pairedItem }) => (pairedItem as { item: number }).item),
	);
	return [...outputs, [{ json: { items } }]];
}

/** The outputs of a node that runs once more since it was resumed; null in any other run. */
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
 * Takes back that n8n marks the node as disabled. n8n has no function for it, so this looks at the
 * execution's own entry, and does nothing where that is not as it is in n8n 2.41.
 */
function willRunAgain(context: IWebhookFunctions, outputs: INodeExecutionData[][]): boolean {
	// With the older order n8n runs a node only if its first input has items.
	const isRun = context.getWorkflowSettings().executionOrder === 'v1' || outputs[0].length > 0;
	const { executeData } = context as unknown as { executeData?: Partial<IExecuteData> };
	const node = executeData?.node;
	if (!isRun || node?.name !== context.getNode().name || node.disabled !== true) return false;
	node.disabled = false;
	return true;
}
