import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { searchAcceptedCustomers } from '../shared/pickers/customerPicker';
import {
	executeOperation,
	operationProperties,
	operationSubtitle,
} from '../shared/items/operation';
import { registeredDeliveryApiTest } from '../shared/transport/credentialTest';
import { cancel } from './cancel.operation';
import { check } from './check.operation';
import { typeField } from './letterFields';
import { reschedule } from './reschedule.operation';
import { resend } from './resend.operation';
import { resendTo } from './resendTo.operation';
import { send } from './send.operation';

const operations = [cancel, check, reschedule, resendTo, resend, send];

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
		subtitle: operationSubtitle(operations, { send: typeField }),
		description:
			'Send electronic letters by email: registered, simple, simplified notice or tracked mail. Each letter is charged.',
		defaults: { name: 'Send Letter' },
		usableAsTool: true,
		// Keeps the name on the canvas short; n8n would generate it from the action.
		skipNameGeneration: true,
		builderHint: {
			searchHint:
				"Each letter sent or resent is charged, and a registered letter (LRE) has legal effect: put a human approval before it. Its operation 'Check Letters' shows what would go out without sending anything.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-registered-delivery.awaitConsent',
					relationHint: 'Asks a person for the consent that a registered letter (LRE) needs',
				},
				{
					nodeType: 'n8n-nodes-registered-delivery.awaitOutcome',
					relationHint: 'Sleeps until the letter is accepted, refused, opened or expired',
				},
				{
					nodeType: 'n8n-nodes-registered-delivery.downloadEvidence',
					relationHint: 'Gets the PDF that proves what happened to the letter',
				},
			],
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
		properties: operationProperties(operations, send, 'Letter'),
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest },
		listSearch: { searchAcceptedCustomers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeOperation(this, operations);
	}
}
