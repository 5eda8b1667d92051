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
import { awaitFields } from './fields';
import { goToSleep } from './goToSleep';
import { OUTPUT_NAMES } from './outputs';
import { outputsIfStartedHere } from './startedHere';
import { outcomesOf, resumeWebhooks, wakeUp } from './wakeUp';

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
		subtitle:
			'={{ $parameter["deadlineMode"] === "at" ? "Until a date" : "Up to " + $parameter["deadlineAmount"] + " " + $parameter["deadlineUnit"] }}',
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
		outputNames: OUTPUT_NAMES,
		credentials: [{ name: 'registeredDeliveryReceiverApi', required: true }],
		webhooks: resumeWebhooks,
		properties: awaitFields,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return outputsIfStartedHere(this) ?? outcomesOf(this) ?? (await goToSleep(this, Date.now()));
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return wakeUp(this);
	}

	/** Wakes executions; starts none. */
	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await wakeWhilePublished(this);
	}
}
