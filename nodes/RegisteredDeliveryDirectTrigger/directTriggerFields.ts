import type { INodeProperties } from 'n8n-workflow';

import {
	eventsField,
	filterOptions,
	messageTypesOption,
	simplifyField,
	WEBHOOK_EVENTS,
} from '../shared/events/eventFields';
import { optionsField } from '../shared/items/operation';

export const directTriggerFields: INodeProperties[] = [
	{
		displayName:
			'For users who cannot host a webhook receiver: enter the production webhook URL above in your account at the delivery service. Events that the service sends while n8n is down, or faster than n8n starts executions, may be lost, nothing keeps them in order, and a request with more than 1,000 is refused. The Registered Delivery Trigger loses none.',
		name: 'directNotice',
		type: 'notice',
		default: '',
	},
	eventsField(WEBHOOK_EVENTS),
	simplifyField,
	optionsField({ ...filterOptions, messageTypes: messageTypesOption(['LRE', 'AES', 'MT']) }),
];
