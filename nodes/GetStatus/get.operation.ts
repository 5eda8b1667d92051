import type { INodeProperties } from 'n8n-workflow';

import { checkConcurrency, concurrencyField } from '../shared/concurrencyField';
import { checkedCredential } from '../shared/credentialCheck';
import { readMessageId } from '../shared/messageId';
import { flagParameter } from '../shared/parameters';
import { parameterError, type ItemOperation } from '../shared/perItem';
import { requestMessage } from '../shared/requestMessage';
import { summary } from './summary';

export const getFields: INodeProperties[] = [
	{
		displayName: 'Message ID',
		name: 'messageId',
		type: 'string',
		default: '={{ $json.messageId }}',
		required: true,
		placeholder: 'e.g. 000000000123',
		description: 'The 12 digits that Send Letter gave for the letter',
		displayOptions: { show: { operation: ['get'] } },
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
		hint: 'Turn off to get the signed links to the evidence as well',
		displayOptions: { show: { operation: ['get'] } },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [concurrencyField],
		displayOptions: { show: { operation: ['get'] } },
	},
];

interface Query {
	id: string;
	simplify: boolean;
}

/**
 * Reads a letter's status and evidence, in short or as the service gives them: a status this pack does
 * not know passes through (interface, GET /messages/{id}; rules READ-01 to READ-06).
 */
export const get: ItemOperation<Query> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		checkConcurrency(context, itemIndex);
		const result = readMessageId(context.getNodeParameter('messageId', itemIndex));
		if ('problem' in result) {
			throw parameterError(context, itemIndex, 'Message ID', result.problem);
		}
		const simplify = { name: 'simplify', displayName: 'Simplify' };
		return { id: result.id, simplify: flagParameter(context, itemIndex, simplify, true) };
	},

	async perform(context, { id, simplify }, itemIndex) {
		const message = await requestMessage(context, id, itemIndex);
		return simplify ? summary(message) : { ...message };
	},
};
