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

import { searchPendingConsents } from '../shared/consents/consentSearch';
import { wakeWhilePublished } from '../shared/consumer/waker';
import { searchAcceptedCustomers } from '../shared/fields/customerSearch';
import { registeredDeliveryApiTest } from '../shared/transport/credentialTest';
import { registeredDeliveryReceiverApiTest } from '../shared/transport/receiver';
import { deadlineSubtitle } from '../shared/waiting/deadline';
import { runAwaiting } from '../shared/waiting/goToSleep';
import { resumeWebhooks, wakeUp } from '../shared/waiting/wakeUp';
import { awaitingConsents } from './awaiting';
import { awaitConsentFields } from './awaitConsentFields';
import { consentOutputs } from './consentOutputs';

export class AwaitConsent implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery: Await Consent',
		name: 'awaitConsent',
		icon: {
			light: 'file:../../icons/awaitConsent.svg',
			dark: 'file:../../icons/awaitConsent.dark.svg',
		},
		group: ['organization'],
		version: 1,
		subtitle: deadlineSubtitle,
		description:
			'Ask contacts to agree to letters in electronic form, remind them, and sleep until they answer',
		defaults: { name: 'Await Consent' },
		// It puts the execution to sleep for days, and no AI agent waits that long.
		usableAsTool: undefined,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		outputNames: consentOutputs.names,
		credentials: [
			{
				name: 'registeredDeliveryApi',
				displayName: 'Delivery Service',
				required: true,
				testedBy: 'registeredDeliveryApiTest',
			},
			{
				name: 'registeredDeliveryReceiverApi',
				displayName: 'Webhook Receiver',
				required: true,
				testedBy: 'registeredDeliveryReceiverApiTest',
			},
		],
		webhooks: resumeWebhooks,
		properties: awaitConsentFields,
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest, registeredDeliveryReceiverApiTest },
		listSearch: { searchAcceptedCustomers, searchPendingConsents },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runAwaiting(this, awaitingConsents, Date.now());
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await wakeUp(this, awaitingConsents, Date.now());
	}

	/** Wakes executions; starts none. */
	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await wakeWhilePublished(this);
	}
}
