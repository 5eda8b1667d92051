import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { eventsSubtitle } from '../shared/events/eventFields';
import { assertReady } from './assertReady';
import { directTriggerFields } from './directTriggerFields';
import { receiveDirect } from './receiveDirect';
import { registeredDeliveryWebhookApiTest } from './webhookCredential';

export class RegisteredDeliveryDirectTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery Direct Trigger',
		name: 'registeredDeliveryDirectTrigger',
		icon: {
			light: 'file:../../icons/directTrigger.svg',
			dark: 'file:../../icons/directTrigger.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: eventsSubtitle,
		description:
			'Starts the workflow when the delivery service posts to its webhook, without a receiver',
		defaults: { name: 'Registered Delivery Direct Trigger' },
		eventTriggerDescription:
			'Waiting for the delivery service to post an event of a letter to the test URL',
		activationMessage:
			'The delivery service can now post events to the production URL of the trigger.',
		builderHint: {
			searchHint:
				'Only where no webhook receiver can be hosted: starts a workflow for what the service posts to n8n, and loses events while n8n is down. Otherwise choose Registered Delivery Trigger.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'registeredDeliveryWebhookApi',
				required: true,
				testedBy: 'registeredDeliveryWebhookApiTest',
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// If omitted, n8n answers with the word firstEntryJson, not the node's response.
				responseData: '',
				path: 'events',
			},
		],
		properties: directTriggerFields,
	};

	methods = { credentialTest: { registeredDeliveryWebhookApiTest } };

	/** Nothing to register: the webhook URL is configured in the account at the service. */
	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				await assertReady(this);
				return true;
			},

			async create(this: IHookFunctions): Promise<boolean> {
				return true;
			},

			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveDirect(this, Date.now());
	}
}
