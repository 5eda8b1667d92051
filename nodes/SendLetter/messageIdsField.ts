import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { readMessageIds } from '../shared/messageIds';
import { parameterError } from '../shared/perItem';

/** The letters that an operation is about, by their ids. */
export const messageIdsField: INodeProperties = {
	displayName: 'Message IDs',
	name: 'messageIds',
	type: 'string',
	default: '={{ $json.messageId }}',
	required: true,
	placeholder: 'e.g. 000000000123, 000000000124',
	description:
		'IDs of 12 digits that Send Letter gave, separated by commas, or an array of them from an expression. They go in one request, which the service carries out for all of them or for none.',
	displayOptions: { show: { operation: ['resend', 'reschedule', 'cancel'] } },
};

/** @throws NodeOperationError when one of them is no message id (rule READ-01). */
export function readMessageIdsField(context: IExecuteFunctions, itemIndex: number): string[] {
	const result = readMessageIds(context.getNodeParameter('messageIds', itemIndex, ''));
	if ('problem' in result) {
		throw parameterError(context, itemIndex, messageIdsField.displayName, result.problem);
	}
	return result.ids;
}
