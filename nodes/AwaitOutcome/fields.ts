import type { INodeProperties } from 'n8n-workflow';

import { LONGEST_WAIT_DAYS } from '../../webhook-receiver/src/core/wait-contract';
import { messageIdField } from '../shared/fields/messageId';

export const awaitFields: INodeProperties[] = [
	{
		displayName:
			'The execution sleeps until the outcomes of all letters are known, or the deadline comes. Publish the workflow, so that n8n asks for outcomes after a restart, too. Your webhook receiver learns of registered and simple letters only when it watches them, for which it needs access to the service: see "Watching letters" in its README. Start this workflow by its own trigger: in a sub-workflow, n8n may resume the workflow that called it too early or not at all.',
		name: 'sleepNotice',
		type: 'notice',
		default: '',
	},
	{
		...messageIdField,
		description:
			'The 12-digit ID that Send Letter returned for the letter. All items wait together, up to 1,000 letters.',
	},
	{
		displayName: 'Message Type',
		name: 'messageType',
		type: 'string',
		default: '={{ $json.type }}',
		placeholder: 'e.g. LRE',
		description:
			'LRE, LS, AS, AES or MT. What RECEIVED means depends on it. Leave empty if unknown.',
	},
	{
		displayName: 'Deadline',
		name: 'deadlineMode',
		type: 'options',
		options: [
			{
				name: 'After a Time',
				value: 'after',
				description: 'A number of minutes, hours or days from now',
			},
			{ name: 'At a Date', value: 'at', description: 'At a specific date and time' },
		],
		default: 'after',
		description:
			'When to continue without an outcome. Letters without one by then leave through "Pending".',
	},
	{
		displayName: 'Wait For',
		name: 'deadlineAmount',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 30,
		description: `How long to wait at most; the maximum is ${LONGEST_WAIT_DAYS} days`,
		displayOptions: { show: { deadlineMode: ['after'] } },
	},
	{
		displayName: 'Unit',
		name: 'deadlineUnit',
		type: 'options',
		options: [
			{ name: 'Days', value: 'days' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Minutes', value: 'minutes' },
		],
		default: 'days',
		displayOptions: { show: { deadlineMode: ['after'] } },
	},
	{
		displayName: 'Wait Until',
		name: 'deadlineAt',
		type: 'dateTime',
		default: '',
		required: true,
		description: `When to continue at the latest; at most ${LONGEST_WAIT_DAYS} days ahead. If it has passed, all items leave through "Pending" at once.`,
		displayOptions: { show: { deadlineMode: ['at'] } },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Items Leave',
				name: 'itemsLeave',
				type: 'options',
				options: [
					{
						name: 'Each by Its Own Outcome',
						value: 'each',
						description:
							'Each item leaves through the output for its own letter. Received counts as Opened; undelivered and failed count as Expired.',
					},
					{
						name: 'Together by the Worst',
						value: 'together',
						description:
							'All items leave through Accepted only if every letter was accepted. The worst outcome is Pending, then Refused, Expired, Opened.',
					},
				],
				default: 'each',
				description: 'Which output the items of a batch leave through',
			},
			{
				displayName: 'Tracked Mail Is Done When',
				name: 'trackedMailGoal',
				type: 'options',
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
			},
		],
	},
];
