import type { INodeProperties } from 'n8n-workflow';

import { ANY_EVENT, type EventType, type STATUSES } from '../../webhook-receiver/src/contract';

// `unknown` has no choice of its own: what has no known name comes with "Any Event" (rule EVNT-02).
type Choice = Exclude<EventType, 'unknown'> | typeof ANY_EVENT;

/** The service has no webhook for these (design, section Outcomes). */
const NEEDS_WATCHING = 'Only for letters that your receiver watches';

const EVENT_CHOICES: Array<{ name: string; value: Choice; description: string }> = [
	{
		name: 'Any Event',
		value: ANY_EVENT,
		description: 'All of these, and events of a name this pack does not know',
	},
	{
		name: 'Letter Accepted',
		value: 'letter.accepted',
		description: `The recipient accepted a registered letter (LRE). ${NEEDS_WATCHING}.`,
	},
	{
		name: 'Letter Expired',
		value: 'letter.expired',
		description: `Nobody took the letter in time (LRE, LS, AS). ${NEEDS_WATCHING}.`,
	},
	{
		name: 'Letter Received',
		value: 'letter.received',
		description: `The recipient opened a simple letter (LS, AS). ${NEEDS_WATCHING}.`,
	},
	{
		name: 'Letter Refused',
		value: 'letter.refused',
		description: `The recipient refused a registered letter (LRE). ${NEEDS_WATCHING}.`,
	},
	{
		name: 'Letter Sent',
		value: 'letter.sent',
		description: `A letter left the service (LRE, LS, AS). ${NEEDS_WATCHING}.`,
	},
	{
		name: 'Letter Undelivered',
		value: 'letter.undelivered',
		description: `The e-mail to the recipient bounced; it may still arrive later (LRE, LS, AS). ${NEEDS_WATCHING}.`,
	},
	{
		name: 'Registered Letter Failed',
		value: 'lre.failed',
		description:
			'A scheduled LRE was not sent, because the identity verification of the sender was no longer valid',
	},
	{
		name: 'Tracked Mail Expired',
		value: 'tracked_mail.expired',
		description: `Tracked mail was delivered, and not opened in time. ${NEEDS_WATCHING}.`,
	},
	{
		name: 'Tracked Mail Failed',
		value: 'tracked_mail.failed',
		description: 'Tracked mail could not be sent',
	},
	{
		name: 'Tracked Mail Opened',
		value: 'tracked_mail.opened',
		description: 'The recipient opened the e-mail or downloaded the attachment',
	},
	{
		name: 'Tracked Mail Received',
		value: 'tracked_mail.received',
		description: 'The e-mail reached the mailbox of the recipient',
	},
	{
		name: 'Tracked Mail Sent',
		value: 'tracked_mail.sent',
		description: 'Tracked mail left the service',
	},
	{
		name: 'Tracked Mail Undelivered',
		value: 'tracked_mail.undelivered',
		description: 'The e-mail bounced; it may still be delivered later',
	},
];

const STATUS_CHOICES: Array<{ name: string; value: (typeof STATUSES)[number] }> = [
	{ name: 'Accepted', value: 'ACCEPTED' },
	{ name: 'Expired', value: 'EXPIRED' },
	{ name: 'Opened', value: 'OPENED' },
	{ name: 'Received', value: 'RECEIVED' },
	{ name: 'Refused', value: 'REFUSED' },
	{ name: 'Sent', value: 'SENT' },
	{ name: 'Undelivered', value: 'UNDELIVERED' },
];

export const triggerFields: INodeProperties[] = [
	{
		displayName: 'Mode',
		name: 'mode',
		type: 'options',
		options: [
			{
				name: 'Receiver',
				value: 'receiver',
				description:
					'From your webhook receiver, which stores, orders and repeats them until this workflow has started',
			},
			{
				name: 'Direct',
				value: 'direct',
				description:
					'From the delivery service itself, if you cannot host a receiver; events sent while n8n is down may be lost',
			},
		],
		default: 'receiver',
		description: 'Where the events come from',
	},
	{
		displayName:
			'The webhook URLs above need not be copied anywhere: when the workflow is published, this node registers itself with your webhook receiver, and removes itself when it is unpublished.',
		name: 'registrationNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { mode: ['receiver'] } },
	},
	{
		displayName:
			'Enter the production webhook URL above in your account of the delivery service, and publish this workflow. A receiver is safer: here n8n answers before the workflow has run, events sent while n8n is down are lost unless the service repeats them, nothing keeps them in order, and n8n starts only about 40 executions a second. A repeated event is recognised among the last few hundred.',
		name: 'directNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { mode: ['direct'] } },
	},
	{
		displayName:
			'The service itself never tells of letters accepted, refused, received or expired: these events need Mode Receiver, a receiver that knows the service (SERVICE_URL), and letters sent with the option Watch of Send Letter.',
		name: 'watchingNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { mode: ['direct'] } },
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: EVENT_CHOICES,
		default: [ANY_EVENT],
		required: true,
		description: 'Which events start the workflow',
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: false,
		description: 'Whether to return a simplified version of the response instead of the raw data',
		hint: 'Turn on to leave out the payload as received and what only identifies the event',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Customer Reference',
				name: 'customerReference',
				type: 'string',
				default: '',
				placeholder: 'e.g. CUST-4711',
				description: 'Only events of letters sent with this customer reference',
			},
			{
				displayName: 'Events per Execution',
				name: 'batchSize',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 500 },
				default: 1,
				description:
					'Up to how many events one execution may get, one item each. A mass mailing makes events far faster than executions start.',
				displayOptions: { show: { '/mode': ['receiver'] } },
			},
			{
				displayName: 'File Reference',
				name: 'fileReference',
				type: 'string',
				default: '',
				placeholder: 'e.g. INV-2026-0042',
				description: 'Only events of letters sent with this file reference',
			},
			{
				displayName: 'Message Statuses',
				name: 'statuses',
				type: 'multiOptions',
				options: STATUS_CHOICES,
				default: [],
				description:
					'Only events that imply one of these statuses. Failures and events of unknown name imply none.',
			},
			{
				displayName: 'Message Types',
				name: 'messageTypes',
				type: 'multiOptions',
				options: [
					{ name: 'Registered Letter (LRE)', value: 'LRE' },
					{ name: 'Tracked Mail (AES)', value: 'AES' },
					{ name: 'Tracked Mail (MT)', value: 'MT' },
				],
				default: [],
				description: 'Only events of letters of these types',
			},
		],
	},
];
