import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import {
	ANY_EVENT,
	type EventType,
	type MessageType,
	type STATUSES,
} from '../../../webhook-receiver/src/contract';

/** A choice of Events. `unknown` has none of its own: it comes with "Any Event" (rule EVNT-02). */
export interface EventChoice extends INodePropertyOptions {
	value: Exclude<EventType, 'unknown'> | typeof ANY_EVENT;
}

export const ANY_EVENT_CHOICE: EventChoice = {
	name: 'Any Event',
	value: ANY_EVENT,
	description: 'All of these, and events of a name this pack does not know',
};

/** What the service tells of by webhook. */
export const TOLD_EVENTS: EventChoice[] = [
	{
		name: 'Registered Letter Failed',
		value: 'lre.failed',
		description:
			'A scheduled LRE was not sent, because the identity verification of the sender was no longer valid',
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

export function eventsField(choices: EventChoice[]): INodeProperties {
	return {
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: [...choices].sort((one, other) => one.name.localeCompare(other.name)),
		default: [ANY_EVENT],
		required: true,
		description: 'Which events start the workflow',
	};
}

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	hint: 'Turn on to leave out the payload as received and what only identifies the event',
};

export const customerReferenceOption: INodeProperties = {
	displayName: 'Customer Reference',
	name: 'customerReference',
	type: 'string',
	default: '',
	placeholder: 'e.g. CUST-4711',
	description: 'Only events of letters sent with this customer reference',
};

export const fileReferenceOption: INodeProperties = {
	displayName: 'File Reference',
	name: 'fileReference',
	type: 'string',
	default: '',
	placeholder: 'e.g. INV-2026-0042',
	description: 'Only events of letters sent with this file reference',
};

const STATUS_CHOICES: Array<{ name: string; value: (typeof STATUSES)[number] }> = [
	{ name: 'Accepted', value: 'ACCEPTED' },
	{ name: 'Expired', value: 'EXPIRED' },
	{ name: 'Opened', value: 'OPENED' },
	{ name: 'Received', value: 'RECEIVED' },
	{ name: 'Refused', value: 'REFUSED' },
	{ name: 'Sent', value: 'SENT' },
	{ name: 'Undelivered', value: 'UNDELIVERED' },
];

export const statusesOption: INodeProperties = {
	displayName: 'Message Statuses',
	name: 'statuses',
	type: 'multiOptions',
	options: STATUS_CHOICES,
	default: [],
	description:
		'Only events that imply one of these statuses. Failures and events of unknown name imply none.',
};

const TYPE_NAMES: Record<MessageType, string> = {
	LRE: 'Registered Letter (LRE)',
	LS: 'Simple Letter (LS)',
	AS: 'Simplified Notice (AS)',
	AES: 'Tracked Mail (AES)',
	MT: 'Tracked Mail (MT)',
};

export function messageTypesOption(types: MessageType[]): INodeProperties {
	return {
		displayName: 'Message Types',
		name: 'messageTypes',
		type: 'multiOptions',
		options: types.map((value) => ({ name: TYPE_NAMES[value], value })),
		default: [],
		description: 'Only events of letters of these types',
	};
}
