import type {
	IExecuteFunctions,
	INodeExecutionData,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import type { AwaitOperation } from './awaitOperation';
import { registryOf } from './registry';
import { resume } from './resume';
import { runAwaiting } from './run';

/** What n8n calls of a node that sleeps until outcomes are known. n8n's context is the `this` of each. */
export function awaitNode(operation: AwaitOperation) {
	return class {
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			return await runAwaiting(this, operation);
		}

		async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
			return resume(this, operation, Date.now());
		}

		/** Wakes executions; starts none. */
		async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
			return await (await registryOf(this)).whilePublished(this);
		}
	};
}
