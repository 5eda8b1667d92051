import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { searchCustomers } from '../shared/pickers/customerPicker';
import {
	executeOperation,
	operationProperties,
	operationSubtitle,
} from '../shared/items/operation';
import { registeredDeliveryApiTest } from '../shared/transport/credentialTest';
import { create } from './create.operation';
import { deleteLogo } from './deleteLogo.operation';
import { getMany } from './getMany.operation';
import { setLogo } from './setLogo.operation';

const operations = [create, deleteLogo, getMany, setLogo];

export class ManageCustomer implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery: Manage Customer',
		name: 'manageCustomer',
		icon: {
			light: 'file:../../icons/manageCustomer.svg',
			dark: 'file:../../icons/manageCustomer.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle(operations),
		description:
			'For resellers: create and list the customers you send letters for, and manage their logos',
		defaults: { name: 'Manage Customer' },
		usableAsTool: true,
		// Keeps the name on the canvas short; n8n would generate it from the action.
		skipNameGeneration: true,
		// It grants access. The second path is where n8n puts what a tool answered to an AI agent.
		sensitiveOutputFields: ['delegationToken', 'response[*].delegationToken'],
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'registeredDeliveryApi',
				required: true,
				testedBy: 'registeredDeliveryApiTest',
			},
		],
		properties: operationProperties(operations, getMany, 'Customer'),
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest },
		listSearch: { searchCustomers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeOperation(this, operations);
	}
}
