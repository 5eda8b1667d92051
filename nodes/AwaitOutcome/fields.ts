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
			'The 12 digits that Send Letter gave for the letter. All items wait together, up to 1,000 letters.',
	},
	{
		displayName: 'Message Type',
		name: 'messageType',
		type: 'string',
		default: '={{ $json.type }}',
		placeholder: 'e.g. LRE',
		description:
			'LRE, LS, AS, AES or MT. What RECEIVED means depends on it. May be empty if it is not known.',
	},
	{
		displayName: 'Deadline',
		name: 'deadlineMode',
		type: 'options',
		options: [
			{
				name: 'After a Time',
				value: 'after',
				description: 'So many minutes, hours or days from now',
			},
			{ name: 'At a Date', value: 'at', description: 'On a date, at a time of day' },
		],
		default: 'after',
		description:
			'When to go on without an outcome. Letters that have none by then leave by "Pending".',
	},
	{
		displayName: 'Wait For',
		name: 'deadlineAmount',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 30,
		description: `How long to wait at most; no longer than ${LONGEST_WAIT_DAYS} days`,
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
		description: `When to go on at the latest; no more than ${LONGEST_WAIT_DAYS} days ahead. If it is past, all items leave by "Pending" at once.`,
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
							'By the output of what became of its letter. Received counts as Opened; undelivered and failed as Expired.',
					},
					{
						name: 'Together by the Worst',
						value: 'together',
						description:
							'By Accepted only if all were accepted. The worst is Pending, then Refused, Expired, Opened.',
					},
				],
				default: 'each',
				description: 'By which output the items of a batch leave',
			},
			{
				displayName: 'Tracked Mail Is Done When',
				name: 'trackedMailGoal',
				type: 'options',
				options: [
					{
						name: 'Opened',
						value: 'opened',
						description: 'The recipient opened the e-mail or downloaded the attachment',
					},
					{
						name: 'Received',
						value: 'received',
						description: 'The e-mail reached the mailbox of the recipient',
					},
				],
				default: 'opened',
				description: 'What to wait for with tracked mail (AES, MT)',
			},
		],
	},
];
