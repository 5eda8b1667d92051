import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { registeredDeliveryApiTest } from '../shared/credentialTest';
import { searchAcceptedCustomers } from '../shared/customerSearch';
import { runPerItem } from '../shared/perItem';
import { cancel } from './cancel.operation';
import { check, checkFields } from './check.operation';
import { letterFields } from './letterFields';
import { messageIdsField } from './messageIdsField';
import { reschedule, rescheduleFields } from './reschedule.operation';
import { resend, resendFields } from './resend.operation';
import { resendTo, resendToFields } from './resendTo.operation';
import { send } from './send.operation';

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
			'Send electronic letters by e-mail: registered, simple, simplified notice or tracked mail. Each letter sent is charged.',
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
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				options: [
					{
						name: 'Cancel',
						value: 'cancel',
						description: 'Call off scheduled letters before they are sent',
						action: 'Cancel scheduled letters',
					},
					{
						name: 'Check',
						value: 'check',
						description:
							'Check letters as Send does and tell how many of which type would go out, without sending any',
						action: 'Check letters without sending',
					},
					{
						name: 'Reschedule',
						value: 'reschedule',
						description: 'Move scheduled letters to another time',
						action: 'Reschedule letters',
					},
					{
						name: 'Resend',
						value: 'resend',
						description:
							'Send one or more letters again to the contacts they went to. Each may be charged again.',
						action: 'Resend letters',
					},
					{
						name: 'Resend One to a Contact',
						value: 'resendTo',
						description:
							'Send one letter again, to its contact or to a new one. It may be charged again.',
						action: 'Resend a letter to a contact',
					},
					{
						name: 'Send',
						value: 'send',
						description:
							'Send a letter to one or more recipients, now or at a later time. Each recipient is charged as a letter; registered letters (LRE) have legal effect.',
						action: 'Send a letter',
					},
				],
				default: 'send',
			},
			...checkFields,
			...letterFields,
			messageIdsField,
			...resendFields,
			...resendToFields,
			...rescheduleFields,
		],
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest },
		listSearch: { searchAcceptedCustomers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await operations[this.getNodeParameter('operation', 0)](this)];
	}
}

type Run = (context: IExecuteFunctions) => Promise<INodeExecutionData[]>;

const operations: Record<string, Run> = {
	check,
	send,
	resend,
	resendTo,
	reschedule: async (context) => await runPerItem(context, reschedule),
	cancel: async (context) => await runPerItem(context, cancel),
};
