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
import { download } from './download.operation';
import { onePiece, onePieceOrAll } from './evidenceFields';
import { getLink } from './getLink.operation';

const operations = [download, getLink];

export class DownloadEvidence implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery: Download Evidence',
		name: 'downloadEvidence',
		icon: {
			light: 'file:../../icons/downloadEvidence.svg',
			dark: 'file:../../icons/downloadEvidence.dark.svg',
		},
		group: ['input'],
		version: 1,
		subtitle: operationSubtitle(operations, {
			download: onePieceOrAll.eventType,
			getLink: onePiece.eventType,
		}),
		description:
			'Get the PDF that proves that a letter was sent, received, accepted, refused, expired or undeliverable',
		defaults: { name: 'Download Evidence' },
		usableAsTool: true,
		// Keeps the name on the canvas short; n8n would generate it from the action.
		skipNameGeneration: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'registeredDeliveryApi',
				required: true,
				testedBy: 'registeredDeliveryApiTest',
			},
		],
		properties: operationProperties(operations, download, 'Evidence'),
	};

	methods = { credentialTest: { registeredDeliveryApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeOperation(this, operations);
	}
}
