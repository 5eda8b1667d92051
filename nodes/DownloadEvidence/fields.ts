import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { concurrencyField } from '../shared/concurrencyField';
import { readMessageId } from '../shared/messageId';
import { textParameter } from '../shared/parameters';
import { parameterError } from '../shared/perItem';

/** Asks for every piece of evidence a message has. */
export const ALL = 'all';

/** Evidence event types (rule EVID-01). */
const eventTypes: INodePropertyOptions[] = [
	{ name: 'Accepted', value: 'ACCEPTED', description: 'The recipient accepted; LRE only' },
	{ name: 'Expired', value: 'EXPIRED', description: 'The time to act ran out' },
	{ name: 'Received', value: 'RECEIVED', description: 'The recipient opened it; LS only' },
	{ name: 'Refused', value: 'REFUSED', description: 'The recipient refused; LRE only' },
	{ name: 'Sent', value: 'SENT', description: 'The letter was sent' },
	{ name: 'Undelivered', value: 'UNDELIVERED', description: 'The e-mail could not be delivered' },
];

/** Event types that only one kind of letter has. */
export const ONLY_FOR: Record<string, string> = {
	ACCEPTED: 'ACCEPTED exists for registered letters (LRE) only.',
	REFUSED: 'REFUSED exists for registered letters (LRE) only.',
	RECEIVED: 'RECEIVED exists for simple letters (LS) only.',
};

export const fields: INodeProperties[] = [
	{
		displayName: 'Message ID',
		name: 'messageId',
		type: 'string',
		default: '={{ $json.messageId }}',
		required: true,
		placeholder: 'e.g. 000000000123',
		description: 'The 12 digits that Send Letter gave for the letter',
		displayOptions: { show: { operation: ['download', 'getLink'] } },
	},
	{
		displayName: 'Event Type',
		name: 'eventType',
		type: 'options',
		options: [{ name: 'All', value: ALL, description: 'All the letter has so far' }, ...eventTypes],
		default: ALL,
		description: 'What the evidence proves. Tracked mail never has evidence.',
		displayOptions: { show: { operation: ['download'] } },
	},
	{
		displayName: 'Event Type',
		name: 'eventType',
		type: 'options',
		options: eventTypes,
		default: 'SENT',
		description: 'What the evidence proves. Tracked mail never has evidence.',
		displayOptions: { show: { operation: ['getLink'] } },
	},
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		hint: 'The name of the output binary field to put the file in',
		displayOptions: { show: { operation: ['download'] } },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [concurrencyField],
		displayOptions: { show: { operation: ['download', 'getLink'] } },
	},
];

/** The message and the event type, checked (rules READ-01, EVID-01). */
export function readFields(
	context: IExecuteFunctions,
	itemIndex: number,
): { id: string; eventType: string } {
	const message = readMessageId(context.getNodeParameter('messageId', itemIndex, ''));
	if ('problem' in message) throw parameterError(context, itemIndex, 'Message ID', message.problem);
	const parameter = { name: 'eventType', displayName: 'Event Type' };
	const chosen = textParameter(context, itemIndex, parameter);
	const isDownload = context.getNodeParameter('operation', itemIndex) === 'download';
	const known = eventTypes.map(({ value }) => String(value));
	if (isDownload) known.unshift(ALL);
	if (!known.includes(chosen)) {
		throw parameterError(
			context,
			itemIndex,
			'Event Type',
			`"${chosen}" is none of ${known.join(', ')}.`,
		);
	}
	return { id: message.id, eventType: chosen };
}
