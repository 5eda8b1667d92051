import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { assertDirectMode } from './directMode';
import { triggerFields } from './fields';
import { readMode } from './mode';
import { receiveDirect } from './receiveDirect';
import { receiveEvents } from './receiveEvents';
import { isRegistered, register, unregister } from './registration';
import { forgetTestRun } from './registrationMemory';
import { registeredDeliveryWebhookApiTest } from './webhookCredentialTest';

export class RegisteredDeliveryTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery Trigger',
		name: 'registeredDeliveryTrigger',
		icon: {
			light: 'file:../../icons/registeredDelivery.svg',
			dark: 'file:../../icons/registeredDelivery.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ ($parameter["mode"] === "direct" ? "Direct: " : "") + ($parameter["events"].includes("*") ? "Any event" : $parameter["events"].map((event) => event.replace("tracked_mail.", "").replace("letter.", "letter ").replace("lre.", "LRE ")).join(", ")) }}',
		description: 'Starts the workflow when something happens to a letter',
		defaults: { name: 'Registered Delivery Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		// `hide`, for with `show` the editor takes Mode for a choice of credentials, and does not show it.
		credentials: [
			{
				name: 'registeredDeliveryReceiverApi',
				required: true,
				displayOptions: { hide: { mode: ['direct'] } },
			},
			{
				name: 'registeredDeliveryWebhookApi',
				required: true,
				testedBy: 'registeredDeliveryWebhookApiTest',
				displayOptions: { hide: { mode: ['receiver'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Left out, n8n answers the word firstEntryJson instead of what the node says.
				responseData: '',
				path: 'events',
			},
		],
		properties: triggerFields,
	};

	methods = { credentialTest: { registeredDeliveryWebhookApiTest } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				forgetTestRun(this);
				if (readMode(this) === 'receiver') return await isRegistered(this);
				await assertDirectMode(this);
				return true;
			},

			async create(this: IHookFunctions): Promise<boolean> {
				if (readMode(this) === 'receiver') await register(this);
				return true;
			},

			async delete(this: IHookFunctions): Promise<boolean> {
				if (readMode(this) === 'receiver') await unregister(this);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const receive = readMode(this) === 'direct' ? receiveDirect : receiveEvents;
		return await receive(this, Date.now());
	}
}
