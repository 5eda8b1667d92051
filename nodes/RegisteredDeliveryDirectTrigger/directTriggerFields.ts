import type { INodeProperties } from 'n8n-workflow';

import {
	eventsField,
	filterOptions,
	messageTypesOption,
	simplifyField,
	WEBHOOK_EVENTS,
} from '../shared/events/eventFields';
import { notice } from '../shared/fields/notice';
import { optionsField } from '../shared/items/operation';

export const directTriggerFields: INodeProperties[] = [
	notice(
		'directNotice',
		'Enter the production webhook URL above in your account at the service. Events get lost while n8n is down',
		'nodes/registered-delivery-direct-trigger.md',
	),
	eventsField(WEBHOOK_EVENTS),
	simplifyField,
	optionsField({ ...filterOptions, messageTypes: messageTypesOption(['LRE', 'AES', 'MT']) }),
];
