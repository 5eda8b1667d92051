import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { wakeWhilePublished } from '../shared/consumer/waker';
import { registeredDeliveryReceiverApiTest } from '../shared/transport/receiver';
import { deadlineSubtitle } from '../shared/waiting/deadline';
import { runAwaiting } from '../shared/waiting/goToSleep';
import { resumeWebhooks, wakeUp } from '../shared/waiting/wakeUp';
import { awaitingOutcomes } from './awaiting';
import { awaitOutcomeFields } from './awaitOutcomeFields';
import { outcomeOutputs } from './outcomeOutputs';

export class AwaitOutcome implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery: Await Outcome',
		name: 'awaitOutcome',
		icon: {
			light: 'file:../../icons/awaitOutcome.svg',
			dark: 'file:../../icons/awaitOutcome.dark.svg',
		},
		group: ['organization'],
		version: 1,
		subtitle: deadlineSubtitle,
		description: 'Sleep until letters are accepted, refused, opened, received or expired',
		defaults: { name: 'Await Outcome' },
		// It puts the execution to sleep for days, and no AI agent waits that long.
		usableAsTool: undefined,
		inputs: [NodeConnectionTypes.Main],
		outputs: [
			NodeConnectionTypes.Main,
			NodeConnectionTypes.Main,
			NodeConnectionTypes.Main,
			NodeConnectionTypes.Main,
			NodeConnectionTypes.Main,
		],
		outputNames: outcomeOutputs.names,
		credentials: [
			{
				name: 'registeredDeliveryReceiverApi',
				displayName: 'Webhook Receiver',
				required: true,
				testedBy: 'registeredDeliveryReceiverApiTest',
			},
		],
		webhooks: resumeWebhooks,
		properties: awaitOutcomeFields,
	};

	methods = { credentialTest: { registeredDeliveryReceiverApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runAwaiting(this, awaitingOutcomes, Date.now());
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await wakeUp(this, awaitingOutcomes, Date.now());
	}

	/** Wakes executions; starts none. */
	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await wakeWhilePublished(this);
	}
}
