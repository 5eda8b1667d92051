import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { searchPendingConsents } from '../shared/pickers/consentPicker';
import { searchAcceptedCustomers } from '../shared/pickers/customerPicker';
import { registeredDeliveryApiTest } from '../shared/transport/credentialTest';
import { awaitNode } from '../shared/waiting/awaitNode';
import { deadlineSubtitle } from '../shared/waiting/deadline';
import { resumeWebhooks } from '../shared/waiting/resume';
import { awaitConsent } from './awaitConsent.operation';
import { awaitConsentFields } from './awaitConsentFields';

export class AwaitConsent extends awaitNode(awaitConsent) implements INodeType {
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
		builderHint: {
			searchHint:
				'Place it before a registered letter (LRE) to a private person: it asks for consent, reminds, and the execution sleeps until the answer. To ask or list without waiting choose Request Consent.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		outputNames: awaitConsent.outputs.names,
		credentials: [
			{
				name: 'registeredDeliveryApi',
				required: true,
				testedBy: 'registeredDeliveryApiTest',
			},
		],
		webhooks: resumeWebhooks,
		properties: awaitConsentFields,
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest },
		listSearch: { searchAcceptedCustomers, searchPendingConsents },
	};
}
