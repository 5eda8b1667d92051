import type { INodeProperties } from 'n8n-workflow';

import { MESSAGE_TYPES } from '../../webhook-receiver/src/core/event-contract';
import type { WaitMessage } from '../../webhook-receiver/src/core/wait-contract';
import { choiceField, field, type Reading } from '../shared/fields/field';
import { messageIdsField } from '../shared/fields/messageId';
import { notice } from '../shared/fields/notice';
import { optionsField } from '../shared/items/operation';
import { deadlineFields } from '../shared/waiting/deadline';
import { routeItemsField } from '../shared/waiting/outputs';

export const lettersField = {
	...messageIdsField,
	displayName: 'Message ID',
	name: 'messageId',
	placeholder: 'e.g. 000000000123',
	description:
		'The ID that Send Letter returned, or those of all recipients. All items wait together, up to 1,000 letters.',
};

export const messageTypeField = field(
	{
		displayName: 'Message Type',
		name: 'messageType',
		type: 'string',
		default: '={{ $json.messageType ?? $json.type }}',
		placeholder: 'e.g. LRE',
		description:
			'LRE, LS, AS, AES or MT. What RECEIVED means depends on it. Leave empty if unknown.',
	},
	readType,
);

export const goalOptions = {
	trackedMailGoal: choiceField({
		displayName: 'Tracked Mail Is Done When',
		name: 'trackedMailGoal',
		options: [
			{
				name: 'Opened',
				value: 'opened',
				description: 'The recipient opened the email or downloaded the attachment',
			},
			{
				name: 'Received',
				value: 'received',
				description: 'The email reached the mailbox of the recipient',
			},
		],
		default: 'opened',
		description: 'Which outcome to wait for with tracked mail (AES, MT)',
	}),
};

export const routeItems = routeItemsField(
	'Each item leaves through the output for its own letter. Received counts as Opened; undelivered and failed count as Expired.',
	"All items leave through 'Accepted' only if every letter was accepted. The worst outcome is Pending, then Refused, Expired, Opened.",
);

export const awaitOutcomeFields: INodeProperties[] = [
	notice(
		'sleepNotice',
		'The execution sleeps until all outcomes are known or the deadline passes. Publish the workflow, so that it also wakes after a restart',
		'nodes/await-outcome.md#publish-the-workflow',
	),
	lettersField,
	messageTypeField,
	...deadlineFields('Letters without an outcome', 'Pending'),
	optionsField({
		...goalOptions,
		routeItems,
	}),
];

// Only a hint for what events do not say, so an unknown type does no harm.
function readType(value: unknown): Reading<WaitMessage['messageType']> {
	const text = typeof value === 'string' ? value.trim().toUpperCase() : null;
	return { value: MESSAGE_TYPES.find((type) => type === text) ?? null };
}
