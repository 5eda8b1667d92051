import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { searchAcceptedCustomers } from '../shared/fields/customerSearch';
import { executeOperation, operationProperties } from '../shared/items/operation';
import { registeredDeliveryApiTest } from '../shared/transport/credentialTest';
import { cancel } from './cancel.operation';
import { check } from './check.operation';
import { reschedule } from './reschedule.operation';
import { resend } from './resend.operation';
import { resendTo } from './resendTo.operation';
import { send } from './send.operation';

const operations = [cancel, check, reschedule, resend, resendTo, send];

export class SendLetter implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery: Send Letter',
		name: 'sendLetter',
		icon: {
			light: 'file:../../icons/sendLetter.svg',
			dark: 'file:../../icons/sendLetter.dark.svg',
		},
		group: ['output'],
		version: 1,
		subtitle:
			'={{ { send: { LRE: "Registered letter", LS: "Simple letter", AS: "Simplified notice", AES: "Tracked mail", MT: "Tracked mail" }[$parameter["type"]], resend: "Resend", resendTo: "Resend one", check: "Check", reschedule: "Reschedule", cancel: "Cancel" }[$parameter["operation"]] }}',
		description:
			'Send electronic letters by email: registered, simple, simplified notice or tracked mail. Each letter is charged.',
		defaults: { name: 'Send Letter' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'registeredDeliveryApi', required: true, testedBy: 'registeredDeliveryApiTest' },
			{
				name: 'registeredDeliveryReceiverApi',
				required: false,
				displayOptions: { show: { operation: ['send', 'check'] } },
			},
		],
		properties: operationProperties(operations, send),
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest },
		listSearch: { searchAcceptedCustomers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeOperation(this, operations);
	}
}
