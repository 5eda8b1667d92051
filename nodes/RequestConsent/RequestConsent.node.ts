import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { searchRemindableConsents } from '../shared/pickers/consentPicker';
import { searchAcceptedCustomers, searchCustomers } from '../shared/pickers/customerPicker';
import {
	executeOperation,
	operationProperties,
	operationSubtitle,
} from '../shared/items/operation';
import { registeredDeliveryApiTest } from '../shared/transport/credentialTest';
import { create } from './create.operation';
import { getMany } from './getMany.operation';
import { remind } from './remind.operation';

const operations = [create, getMany, remind];

export class RequestConsent implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery: Request Consent',
		name: 'requestConsent',
		icon: {
			light: 'file:../../icons/requestConsent.svg',
			dark: 'file:../../icons/requestConsent.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle(operations),
		description:
			'Ask contacts to agree to letters in electronic form, see who has agreed, and remind the others',
		defaults: { name: 'Request Consent' },
		usableAsTool: true,
		// Keeps the name on the canvas short; n8n would generate it from the action.
		skipNameGeneration: true,
		builderHint: {
			searchHint:
				'Asks, lists and reminds contacts, and goes on at once. To go on when a contact has answered, choose Await Consent, which also asks and reminds.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'registeredDeliveryApi',
				required: true,
				testedBy: 'registeredDeliveryApiTest',
			},
		],
		properties: operationProperties(operations, create, 'Consent'),
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest },
		listSearch: { searchAcceptedCustomers, searchCustomers, searchRemindableConsents },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeOperation(this, operations);
	}
}
