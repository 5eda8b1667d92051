import type { INodeProperties } from 'n8n-workflow';

import { ANY_EVENT, RECEIVER_ATTENTION } from '../../webhook-receiver/src/core/event-contract';
import { LARGEST_BATCH, MOST_AT_ONCE } from '../../webhook-receiver/src/core/pull-contract';
import { choiceField } from '../shared/fields/field';
import { notice } from '../shared/fields/notice';
import { wholeNumberField } from '../shared/fields/numberField';
import { optionsField } from '../shared/items/operation';
import {
	type EventMeanings,
	eventsField,
	filterOptions,
	simplifyField,
	WEBHOOK_EVENTS,
} from '../shared/events/eventFields';

/** The service has no webhooks for these: the receiver polls its lists while a trigger wants them. */
const LISTED_EVENTS: EventMeanings = {
	'consent.accepted': 'A contact agreed to receive electronic letters',
	'consent.refused': 'A contact did not agree to receive electronic letters',
	'customer.accepted': 'For resellers: a customer accepted the delegation',
	'customer.cancelled': 'For resellers: you cancelled the delegation of a customer',
	'customer.refused': 'For resellers: a customer refused the delegation',
	'customer.revoked': 'For resellers: a customer revoked the delegation',
};

/** Nor for these: the receiver polls each letter that it watches. */
const WATCHED_EVENTS: EventMeanings = {
	'letter.accepted': 'The recipient accepted a registered letter (LRE)',
	'letter.cancelled': 'A scheduled letter was cancelled before it was sent (LRE, LS, AS)',
	'letter.expired': 'The recipient did not act in time (LRE, LS, AS)',
	'letter.failed': 'A letter was not sent (LS, AS)',
	'letter.received': 'The recipient opened a simple letter (LS, AS)',
	'letter.refused': 'The recipient refused a registered letter (LRE)',
	'letter.sent': 'A letter left the service (LRE, LS, AS)',
	'letter.undelivered':
		'The email to the recipient bounced; it may still arrive later (LRE, LS, AS)',
	'tracked_mail.cancelled': 'Scheduled tracked mail was cancelled before it was sent',
	'tracked_mail.expired': 'Tracked mail was delivered, and not opened in time',
};

/** Not part of "Any Event": users who follow letters expect letters. */
const RECEIVER_EVENTS: EventMeanings = {
	[RECEIVER_ATTENTION]:
		"A workflow is away, batches are dead, polls are refused, the disk is nearly full or events were lost; or that is over. Not part of 'Any Event'.",
};

export const DEFAULT_AT_ONCE = 5;

/** How the events come. */
export const pullOptions = {
	batchSize: wholeNumberField(
		{
			displayName: 'Events per Execution',
			name: 'batchSize',
			default: 1,
			description:
				'Maximum number of events in one execution, one item each. A mass mailing produces events much faster than executions start.',
		},
		1,
		LARGEST_BATCH,
	),
	maxConcurrentExecutions: wholeNumberField(
		{
			displayName: 'Max Concurrent Executions',
			name: 'maxConcurrentExecutions',
			default: DEFAULT_AT_ONCE,
			description:
				'How many executions of this trigger run at the same time. The other events wait at the receiver; those of one letter always come one by one.',
		},
		1,
		MOST_AT_ONCE,
	),
	whenPublishedAgain: choiceField({
		displayName: 'When Published Again',
		name: 'whenPublishedAgain',
		options: [
			{
				name: 'Catch Up',
				value: 'catchUp',
				description: 'Start with the events that arrived while the workflow was not published',
			},
			{
				name: 'Start From Now',
				value: 'startFromNow',
				description: 'Skip the events that arrived while the workflow was not published',
			},
		],
		default: 'catchUp',
		description:
			'What to do with events that arrived while the workflow was unpublished. Those that arrived while n8n was down are never skipped.',
	}),
};

/**
 * Events of consents and customers have none of these members, so the description says what happens to them.
 */
function ofLetters(option: INodeProperties): INodeProperties {
	const rule = "Consents and customers pass if chosen by name, not by 'Any Event'.";
	return { ...option, description: `${option.description?.replace(/\.$/, '')}. ${rule}` };
}

const filters = Object.fromEntries(
	Object.entries(filterOptions).map(([name, option]) => [name, ofLetters(option)]),
);

export const triggerFields: INodeProperties[] = [
	notice(
		'pullNotice',
		'While the workflow is published, n8n fetches its events from your webhook receiver. There is no URL to copy',
		'nodes/registered-delivery-trigger.md',
	),
	eventsField(
		{ ...LISTED_EVENTS, ...WATCHED_EVENTS, ...WEBHOOK_EVENTS, ...RECEIVER_EVENTS },
		'letters, consents and customers',
	),
	notice(
		'watchNotice',
		'Some of these events need a receiver that has access to the service',
		'nodes/registered-delivery-trigger.md#events',
		{
			show: {
				events: [ANY_EVENT, ...Object.keys(WATCHED_EVENTS), ...Object.keys(LISTED_EVENTS)],
			},
		},
	),
	simplifyField,
	optionsField({ ...filters, ...pullOptions }),
];
