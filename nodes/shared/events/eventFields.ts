import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { byName } from '../items/operation';
import { simplifyFieldWith } from '../fields/simplify';
import { field, readText, readTexts, type Field, type Reading } from '../fields/field';
import {
	ANY_EVENT,
	RECEIVER_ATTENTION,
	type EventType,
	type MessageType,
	type STATUSES,
} from '../../../webhook-receiver/src/core/event-contract';

/**
 * Events a user can choose. `unknown` cannot be chosen alone: it comes with "Any Event" (rule
 * EVNT-02).
 */
type Choosable = Exclude<EventType, 'unknown'>;

/** The events a trigger offers, each with its meaning. */
export type EventMeanings = Partial<Record<Choosable, string>>;

/** Events the service reports by webhook. */
export const WEBHOOK_EVENTS: EventMeanings = {
	'lre.failed':
		'A scheduled LRE was not sent, because the identity verification of the sender was no longer valid',
	'tracked_mail.failed': 'Tracked mail could not be sent',
	'tracked_mail.opened': 'The recipient opened the email or downloaded the attachment',
	'tracked_mail.received': 'The email reached the mailbox of the recipient',
	'tracked_mail.sent': 'Tracked mail left the service',
	'tracked_mail.undelivered': 'The email bounced; it may still be delivered later',
};

const KIND_NAMES: Record<string, string> = {
	consent: 'Consent',
	customer: 'Customer',
	letter: 'Letter',
	lre: 'Registered Letter',
	receiver: 'Receiver',
	tracked_mail: 'Tracked Mail',
};

/** Of events that are not of a letter. */
const NAMES: Record<string, string> = { [RECEIVER_ATTENTION]: 'Needs Attention' };

/** What n8n's guidelines call the field of a trigger that chooses events. */
export const TRIGGER_ON = 'Trigger On';

/** The chosen events, for the canvas. */
export const eventsSubtitle =
	'={{ $parameter["events"].includes("*") ? "Any Event" : $parameter["events"].map((event) => event.split(/[._]/).map((word) => word === "lre" ? "LRE" : word[0].toUpperCase() + word.slice(1)).join(" ")).join(", ") }}';

/** @param all what "Any Event" includes */
export function eventsField(meanings: EventMeanings, all = 'letters'): INodeProperties {
	const choices = Object.entries(meanings).map(([value, description]): INodePropertyOptions => {
		const [kind, what] = value.split('.');
		const name = NAMES[value] ?? `${what[0].toUpperCase()}${what.slice(1)}`;
		return {
			name: `${KIND_NAMES[kind]} ${name}`,
			value,
			description,
		};
	});
	const any = {
		name: 'Any Event',
		value: ANY_EVENT,
		description: `All events of ${all}, including those this pack does not know`,
	};
	return {
		displayName: TRIGGER_ON,
		name: 'events',
		type: 'multiOptions',
		options: [any, ...choices].sort(byName),
		default: [ANY_EVENT],
		required: true,
	};
}

export const simplifyField = simplifyFieldWith(
	'Turn off to get the raw payload and the fields that only identify the event as well',
);

const customerReferenceOption = field(
	{
		displayName: 'Customer Reference',
		name: 'customerReference',
		type: 'string',
		default: '',
		placeholder: 'e.g. CUST-4711',
		description: 'Only events of letters sent with this customer reference',
	},
	readText,
);

const fileReferenceOption = field(
	{
		displayName: 'File Reference',
		name: 'fileReference',
		type: 'string',
		default: '',
		placeholder: 'e.g. INV-2026-0042',
		description: 'Only events of letters sent with this file reference',
	},
	readText,
);

const STATUS_CHOICES: Array<{ name: string; value: (typeof STATUSES)[number] }> = [
	{ name: 'Accepted', value: 'ACCEPTED' },
	{ name: 'Cancelled', value: 'CANCELLED' },
	{ name: 'Expired', value: 'EXPIRED' },
	{ name: 'Opened', value: 'OPENED' },
	{ name: 'Received', value: 'RECEIVED' },
	{ name: 'Refused', value: 'REFUSED' },
	{ name: 'Sent', value: 'SENT' },
	{ name: 'Undelivered', value: 'UNDELIVERED' },
];

const statusesOption = field(
	{
		displayName: 'Message Statuses',
		name: 'statuses',
		type: 'multiOptions',
		options: STATUS_CHOICES,
		default: [],
		description: 'Only events that imply one of these statuses; unknown ones imply none',
	},
	readChosen,
);

const TYPE_NAMES: Record<MessageType, string> = {
	LRE: 'Registered Letter (LRE)',
	LS: 'Simple Letter (LS)',
	AS: 'Simplified Notice (AS)',
	AES: 'Tracked Mail (AES)',
	MT: 'Tracked Mail (MT)',
};

export function messageTypesOption(types: MessageType[]): Field<MessageType[]> {
	return field(
		{
			displayName: 'Message Types',
			name: 'messageTypes',
			type: 'multiOptions',
			options: types.map((value) => ({ name: TYPE_NAMES[value], value })),
			default: [],
			description: 'Only events of letters of these types',
		},
		(value) => readChosen(value) as Reading<MessageType[]>,
	);
}

/** The options that narrow the events: an event must match all that are added. */
export const filterOptions = {
	messageTypes: messageTypesOption(['LRE', 'LS', 'AS', 'AES', 'MT']),
	statuses: statusesOption,
	fileReference: fileReferenceOption,
	customerReference: customerReferenceOption,
};

export function readChosen(value: unknown): Reading<string[]> {
	const list = readTexts(value);
	if ('problem' in list || list.value.length > 0) return list;
	return { problem: 'Nothing is chosen.' };
}
