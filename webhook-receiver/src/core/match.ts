import { ANY_EVENT } from './event-contract.ts';
import type { DeliveryEvent } from './event-contract.ts';
import { isTrackedMail } from './statuses.ts';
import type { Wants } from './pull-contract.ts';

type Offered = Pick<
	DeliveryEvent,
	'type' | 'messageType' | 'status' | 'fileReference' | 'customerReference'
>;

/** Whether a consumer wants an event (rules EVNT-01, EVNT-02). */
export function isWanted({ events, filter }: Pick<Wants, 'events' | 'filter'>, event: Offered) {
	const isListed = events.some((type) => type === ANY_EVENT || type === event.type);
	return isListed && passesFilter(filter, event);
}

function passesFilter(filter: Wants['filter'] = {}, event: Offered): boolean {
	const { messageTypes, statuses, fileReference, customerReference } = filter;
	return (
		(messageTypes?.some((type) => isSameType(type, event.messageType)) ?? true) &&
		(statuses?.some((status) => status === event.status) ?? true) &&
		(fileReference === undefined || fileReference === event.fileReference) &&
		(customerReference === undefined || customerReference === event.customerReference)
	);
}

/** AES and MT are two spellings of one message type (rule TYPE-06). */
function isSameType(left: string, right: string | null): boolean {
	return left === right || (isTrackedMail(left) && isTrackedMail(right));
}
