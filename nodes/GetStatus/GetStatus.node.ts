import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { readConcurrency } from '../shared/concurrencyField';
import { registeredDeliveryApiTest } from '../shared/credentialTest';
import { runPerItem } from '../shared/perItem';
import { get, getFields } from './get.operation';

export class GetStatus implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery: Get Status',
		name: 'getStatus',
		icon: {
			light: 'file:../../icons/getStatus.svg',
			dark: 'file:../../icons/getStatus.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: 'Status of a letter',
		description: 'Read where a letter stands: sent, received, opened, accepted, refused and so on',
		defaults: { name: 'Get Status' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'registeredDeliveryApi', required: true, testedBy: 'registeredDeliveryApiTest' },
		],
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				options: [
					{
						name: 'Get',
						value: 'get',
						description: 'Read the status of a letter and the links to its evidence',
						action: 'Get the status of a letter',
					},
				],
				default: 'get',
			},
			...getFields,
		],
	};

	methods = { credentialTest: { registeredDeliveryApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runPerItem(this, get, readConcurrency(this))];
	}
}
