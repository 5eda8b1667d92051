import { ANY_EVENT, RECEIVER_ATTENTION } from './event-contract.ts';
import type { DeliveryEvent } from './event-contract.ts';
import { isTrackedMail } from './statuses.ts';
import type { Wants } from './pull-contract.ts';

type Offered = Pick<
	DeliveryEvent,
	'type' | 'messageType' | 'status' | 'fileReference' | 'customerReference'
>;

/**
 * Whether a consumer wants an event (rules EVNT-01, EVNT-02). What concerns the receiver itself has
 * to be asked for by name, and no filter of letters applies to it.
 */
export function isWanted({ events, filter }: Pick<Wants, 'events' | 'filter'>, event: Offered) {
	if (event.type === RECEIVER_ATTENTION) return events.includes(RECEIVER_ATTENTION);
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
