import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { readConcurrency } from '../shared/concurrencyField';
import { registeredDeliveryApiTest } from '../shared/credentialTest';
import { runPerItem, runPerList } from '../shared/perItem';
import { download } from './download.operation';
import { fields } from './fields';
import { getLink } from './getLink.operation';

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
		subtitle:
			'={{ { download: "Download", getLink: "Get link" }[$parameter["operation"]] + ": " + $parameter["eventType"].toLowerCase() }}',
		description:
			'Get the PDF that proves that a letter was sent, received, accepted, refused, expired or undeliverable',
		defaults: { name: 'Download Evidence' },
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
						name: 'Download',
						value: 'download',
						description: 'Download the evidence of a letter as PDF files, one item each',
						action: 'Download evidence',
					},
					{
						name: 'Get Link',
						value: 'getLink',
						description:
							'Get the link to a PDF instead of the file. It opens for whoever has it, and expires.',
						action: 'Get the link to evidence',
					},
				],
				default: 'download',
			},
			...fields,
		],
	};

	methods = { credentialTest: { registeredDeliveryApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const concurrency = readConcurrency(this);
		return [
			this.getNodeParameter('operation', 0) === 'getLink'
				? await runPerItem(this, getLink, concurrency)
				: await runPerList(this, download, concurrency),
		];
	}
}
