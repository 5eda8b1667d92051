import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { registeredDeliveryApiTest } from '../shared/credentialTest';
import { searchAcceptedCustomers, searchCustomers } from '../shared/customerSearch';
import { runPerList } from '../shared/perItem';
import { create, createFields } from './create.operation';
import { getMany, getManyFields } from './getMany.operation';
import { remind, remindFields } from './remind.operation';

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
		subtitle:
			'={{ { create: "Create", getMany: "Get many", remind: "Remind" }[$parameter["operation"]] }}',
		description:
			'Ask contacts to agree to letters in electronic form, see who has, and remind the others',
		defaults: { name: 'Request Consent' },
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
						name: 'Create',
						value: 'create',
						description:
							'Ask contacts for their consent by e-mail or by a link, or record one given elsewhere',
						action: 'Create consent requests',
					},
					{
						name: 'Get Many',
						value: 'getMany',
						description: 'List the newest consent of each contact',
						action: 'Get many consents',
					},
					{
						name: 'Remind',
						value: 'remind',
						description: 'Remind a contact of a consent request by e-mail',
						action: 'Remind of a consent request',
					},
				],
				default: 'create',
			},
			...createFields,
			...getManyFields,
			...remindFields,
		],
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest },
		listSearch: { searchAcceptedCustomers, searchCustomers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await operations[this.getNodeParameter('operation', 0)](this)];
	}
}

type Run = (context: IExecuteFunctions) => Promise<INodeExecutionData[]>;

const operations: Record<string, Run> = {
	create,
	getMany: async (context) => await runPerList(context, getMany),
	remind,
};
