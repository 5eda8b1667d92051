import type {
	IExecuteFunctions,
	INodeExecutionData,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { wakeWhilePublished } from '../consumer/waker';
import { followWhilePublished } from '../following/follower';
import type { Awaiting } from './awaiting';
import { isFollowedByN8n } from './letN8nFollow';
import { runAwaiting } from './goToSleep';
import { wakeUp } from './wakeUp';

/** What n8n calls of a node that sleeps until outcomes are known. n8n's context is the `this` of each. */
export function awaitNode(awaiting: Awaiting) {
	return class {
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			return await runAwaiting(this, awaiting, Date.now());
		}

		async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
			return await wakeUp(this, awaiting, Date.now());
		}

		/** Wakes executions; starts none. */
		async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
			return (await isFollowedByN8n(this))
				? await followWhilePublished(this)
				: await wakeWhilePublished(this);
		}
	};
}
