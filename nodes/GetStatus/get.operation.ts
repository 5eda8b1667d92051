import { concurrencyField, readConcurrency } from '../shared/items/concurrency';
import { field, readFields, readFlag } from '../shared/fields/field';
import { messageIdField } from '../shared/fields/messageId';
import { optionsField, type NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { requestMessage } from '../shared/transport/readMessage';
import { summary } from './summary';

const simplifyField = field(
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
		hint: 'Turn off to get the signed links to the evidence as well',
	},
	readFlag,
);

/**
 * Reads a letter's status and evidence, simplified or as the service returns them. Unknown statuses pass
 * through (interface, GET /messages/{id}; rules READ-01 to READ-06).
 */
export const get: NodeOperation = {
	name: 'Get Status',
	value: 'get',
	description: 'Get the status of a letter and the links to its evidence',
	action: 'Get status of letter',
	fields: [messageIdField, simplifyField, optionsField({ concurrencyField })],
	execute: perItem(
		{
			prepare: (context, itemIndex) =>
				readFields(context, itemIndex, { id: messageIdField, simplify: simplifyField }),

			async perform(context, { id, simplify }) {
				const message = await requestMessage(context, id);
				return simplify ? summary(message) : { messageId: id, ...message };
			},
		},
		readConcurrency,
	),
};
