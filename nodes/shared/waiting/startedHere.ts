import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Awaiting } from './awaiting';

const ADVICE =
	'It waits for what comes from earlier nodes, so it did nothing. On the command line, n8n starts at the first node in the workflow file that can start a workflow: cut this node in the editor and paste it back, so that it comes last in the file.';

/**
 * The outputs if n8n starts the run at this node, otherwise null. Since the node has `trigger()`,
 * n8n treats it as a start: `n8n execute` begins at the first such node in the file, whatever its
 * inputs, with one empty item that no node produced.
 *
 * @throws NodeOperationError, unless the workflow continues on errors. Then it outputs nothing: n8n
 * itself would send the empty item to the first output.
 */
export function outputsIfStartedHere(
	context: IExecuteFunctions,
	{ name, outputs }: Awaiting,
): INodeExecutionData[][] | null {
	if (context.getExecuteData().source !== null) return null;
	const message = `${name} cannot start a workflow`;
	if (!context.continueOnFail()) {
		throw new NodeOperationError(context.getNode(), message, { description: ADVICE });
	}
	context.addExecutionHints({
		type: 'warning',
		location: 'outputPane',
		message: `${message}. ${ADVICE}`,
	});
	return outputs.names.map(() => []);
}
