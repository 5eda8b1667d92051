import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import {
	executeOperation,
	operationProperties,
	operationSubtitle,
} from '../shared/items/operation';
import { registeredDeliveryApiTest } from '../shared/transport/credentialTest';
import { get } from './get.operation';
import { getMany } from './getMany.operation';
import { summarize } from './summarize.operation';

const operations = [getMany, get, summarize];

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
		subtitle: operationSubtitle(operations),
		description:
			'Get the status of a letter: sent, received, opened, accepted, refused and so on; list and count letters',
		defaults: { name: 'Get Status' },
		usableAsTool: true,
		// Keeps the name on the canvas short; n8n would generate it from the action.
		skipNameGeneration: true,
		builderHint: {
			searchHint:
				'Asks once for the status of a letter at this moment, or lists and counts letters by what became of them. To go on when its outcome is known, choose Await Outcome, not a loop around this node.',
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
		properties: operationProperties(operations, get, 'Letter'),
	};

	methods = { credentialTest: { registeredDeliveryApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeOperation(this, operations);
	}
}
