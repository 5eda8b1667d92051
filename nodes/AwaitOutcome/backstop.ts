import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { leavingUntold, OUTPUT_NAMES, toOutputs } from './outputs';
import type { Sleeping } from './sleeping';

/**
 * What the items become if nobody brings outcomes, and n8n wakes the execution itself: they leave by
 * "Pending".
 *
 * By itself n8n 2.41 would give back the node's input on the **first** output, and every letter would
 * pass for accepted. It gives back what stands in the execution's data, so that is what they are put
 * into, output by output, and told with `forwardAllOutputs` that these are outputs. Each output needs a
 * source, since n8n takes the place among the outputs for that of an input when it pairs the items.
 */
export function ifNobodyWakes(
	context: IExecuteFunctions,
	sleeping: Sleeping,
): INodeExecutionData[][] {
	const outputs = toOutputs(leavingUntold(sleeping), context.getInputData());
	const data = context.getExecuteData();
	data.data.main = outputs;
	const source = data.source?.main[0];
	if (data.source && source) data.source.main = OUTPUT_NAMES.map(() => source);
	context.setMetadata({ forwardAllOutputs: true });
	return outputs;
}
