import { ANY_EVENT } from './contract.ts';
import type { DeliveryEvent, Subscription } from './contract.ts';

type Asked = Pick<Subscription, 'events' | 'filter' | 'expiresAt'>;
type Offered = Pick<
	DeliveryEvent,
	'type' | 'messageType' | 'status' | 'fileReference' | 'customerReference'
>;

/** Whether a subscription gets an event (rules EVNT-01, EVNT-02). */
export function wants(subscription: Asked, event: Offered, now: number): boolean {
	if (isExpired(subscription, now)) return false;
	const listed = subscription.events.some((type) => type === ANY_EVENT || type === event.type);
	return listed && passesFilter(subscription.filter, event);
}

export function isExpired(subscription: Pick<Subscription, 'expiresAt'>, now: number): boolean {
	return subscription.expiresAt !== null && Date.parse(subscription.expiresAt) <= now;
}

function passesFilter(filter: Asked['filter'], event: Offered): boolean {
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
