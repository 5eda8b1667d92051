import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** @throws NodeOperationError when an AI agent runs the node */
export function assertNotATool(context: IExecuteFunctions): void {
	if (!context.isToolExecution()) return;
	throw new NodeOperationError(context.getNode(), 'Await Outcome cannot be used as a tool', {
		description:
			'It puts the execution to sleep for days, and an AI agent does not wait that long. Use Get Status as the tool, and Await Outcome as a node of its own after the agent.',
	});
}
