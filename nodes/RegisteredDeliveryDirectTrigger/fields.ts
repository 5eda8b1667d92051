import type { INodeProperties } from 'n8n-workflow';

import {
	customerReferenceOption,
	eventsField,
	fileReferenceOption,
	messageTypesOption,
	simplifyField,
	statusesOption,
	TOLD_EVENTS,
} from '../shared/events/eventFields';

export const directTriggerFields: INodeProperties[] = [
	{
		displayName:
			'For users who cannot host a webhook receiver: enter the production webhook URL above in your account at the delivery service. Events that the service sends while n8n is down, or faster than n8n starts executions, may be lost, nothing keeps them in order, and a request with more than 1,000 is refused. The Registered Delivery Trigger loses none.',
		name: 'directNotice',
		type: 'notice',
		default: '',
	},
	eventsField(TOLD_EVENTS),
	simplifyField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			customerReferenceOption,
			fileReferenceOption,
			statusesOption,
			messageTypesOption(['LRE', 'AES', 'MT']),
		],
	},
];
