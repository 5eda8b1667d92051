import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { awaitFields } from './fields';
import { OUTPUT_NAMES } from './outputs';
import { outcomesOf } from './resumed';
import { resumeWebhooks } from './resumeWebhooks';
import { goToSleep } from './goToSleep';
import { wakeUp } from './wakeUp';

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
		// An agent would not wait for it: `goToSleep` refuses to run as a tool, and says so.
		usableAsTool: true,
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
		return outcomesOf(this) ?? (await goToSleep(this, Date.now()));
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await wakeUp(this, Date.now());
	}
}
