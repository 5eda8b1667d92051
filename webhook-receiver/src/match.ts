import { ANY_EVENT } from './contract.ts';
import type { DeliveryEvent } from './contract.ts';
import type { Wants } from './core/pull-contract.ts';

type Offered = Pick<
	DeliveryEvent,
	'type' | 'messageType' | 'status' | 'fileReference' | 'customerReference'
>;

/** Whether a consumer wants an event (rules EVNT-01, EVNT-02). */
export function isWanted({ events, filter }: Pick<Wants, 'events' | 'filter'>, event: Offered) {
	const isListed = events.some((type) => type === ANY_EVENT || type === event.type);
	return isListed && passesFilter(filter, event);
}

function passesFilter(filter: Wants['filter'], event: Offered): boolean {
	if (filter === undefined) return true;
	const { messageTypes, statuses, fileReference, customerReference } = filter;
	if (messageTypes && !messageTypes.some((type) => sameKind(type, event.messageType))) return false;
	if (statuses && !statuses.some((status) => status === event.status)) return false;
	if (fileReference !== undefined && fileReference !== event.fileReference) return false;
	if (customerReference !== undefined && customerReference !== event.customerReference)
		return false;
	return true;
}

/** AES and MT are two spellings of one message type (rule TYPE-06). */
function sameKind(left: string, right: string | null): boolean {
	const kind = (type: string | null) => (type === 'MT' ? 'AES' : type);
	return kind(left) === kind(right);
}
