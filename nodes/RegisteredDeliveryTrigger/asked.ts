import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import {
	ANY_EVENT,
	type Subscription,
	type SubscriptionFilter,
} from '../../webhook-receiver/src/contract';

/** Which events the workflow is to start for, and how many at a time. */
export type Asked = Pick<Subscription, 'events' | 'filter' | 'batchSize'>;

/** Reads the node's fields. */
export function readAsked(context: IHookFunctions | IWebhookFunctions): Asked {
	const events = context.getNodeParameter('events', []) as string[];
	const options = context.getNodeParameter('options', {}) as IDataObject;
	return {
		events: events.includes(ANY_EVENT) ? [ANY_EVENT] : (events as Subscription['events']),
		filter: readFilter(options),
		batchSize: Number(options.batchSize ?? 1),
	};
}

// A filter that was added and left empty does not narrow anything.
function readFilter(options: IDataObject): SubscriptionFilter | undefined {
	const { messageTypes, statuses, fileReference, customerReference } = options;
	const filter: SubscriptionFilter = {
		...(isFilled(messageTypes) && {
			messageTypes: messageTypes as SubscriptionFilter['messageTypes'],
		}),
		...(isFilled(statuses) && { statuses: statuses as SubscriptionFilter['statuses'] }),
		...(fileReference && { fileReference: String(fileReference) }),
		...(customerReference && { customerReference: String(customerReference) }),
	};
	return Object.keys(filter).length > 0 ? filter : undefined;
}

function isFilled(list: unknown): boolean {
	return Array.isArray(list) && list.length > 0;
}
