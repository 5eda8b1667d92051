import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { registeredDeliveryApiTest } from '../shared/credentialTest';
import { searchCustomers } from '../shared/customerSearch';
import { runPerItem, runPerList } from '../shared/perItem';
import { create, createFields } from './create.operation';
import { customerIdField } from './customerIdField';
import { deleteLogo } from './deleteLogo.operation';
import { getMany, getManyFields } from './getMany.operation';
import { setLogo, setLogoFields } from './setLogo.operation';

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
		subtitle:
			'={{ { create: "Create", getMany: "Get many", setLogo: "Set logo", deleteLogo: "Delete logo" }[$parameter["operation"]] }}',
		description:
			'For resellers: create and list the customers that letters are sent for, and their logos',
		defaults: { name: 'Manage Customer' },
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
						description: 'Create customers, who are asked for their delegation by e-mail',
						action: 'Create customers',
					},
					{
						name: 'Delete Logo',
						value: 'deleteLogo',
						description: 'Delete the logo of a customer',
						action: 'Delete the logo of a customer',
					},
					{
						name: 'Get Many',
						value: 'getMany',
						description: 'List customers, with the state of their delegation',
						action: 'Get many customers',
					},
					{
						name: 'Set Logo',
						value: 'setLogo',
						description: 'Set the logo that the notification e-mails of a customer show',
						action: 'Set the logo of a customer',
					},
				],
				default: 'getMany',
			},
			...createFields,
			...getManyFields,
			customerIdField,
			...setLogoFields,
		],
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest },
		listSearch: { searchCustomers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await operations[this.getNodeParameter('operation', 0)](this)];
	}
}

type Run = (context: IExecuteFunctions) => Promise<INodeExecutionData[]>;

const operations: Record<string, Run> = {
	create,
	getMany: async (context) => await runPerList(context, getMany),
	setLogo: async (context) => await runPerItem(context, setLogo),
	deleteLogo: async (context) => await runPerItem(context, deleteLogo),
};
