import { ANY_EVENT, EVENT_TYPES, RECEIVER_ATTENTION } from './event-contract.ts';
import type { DeliveryEvent } from './event-contract.ts';
import { LISTS, SUBJECTS, isTypeOf, listOf } from './lists.ts';
import type { ListName } from './lists.ts';
import { isTrackedMail } from './statuses.ts';
import type { Wants } from './pull-contract.ts';

type Offered = Pick<
	DeliveryEvent,
	| 'type'
	| 'messageType'
	| 'status'
	| 'fileReference'
	| 'customerReference'
	| 'consentId'
	| 'customerId'
>;

type Wanting = Pick<Wants, 'events' | 'filter'>;

/**
 * Whether a consumer wants an event (rules EVNT-01, EVNT-02). A filter describes letters. It does not
 * apply to other events that the consumer names; with "any event" and a filter, the consumer gets only
 * letters that match. Events of the receiver itself must be named.
 */
export function isWanted({ events, filter = {} }: Wanting, event: Offered): boolean {
	const isNamed = events.includes(event.type);
	if (event.type === RECEIVER_ATTENTION) return isNamed;
	const isAny = events.includes(ANY_EVENT);
	if (listOf(event) !== null) return isNamed || (isAny && Object.keys(filter).length === 0);
	return (isNamed || isAny) && passesFilter(filter, event);
}

/** The lists that have events which a consumer wants. */
export function listsWanted(wants: Wanting): ListName[] {
	return LISTS.filter((list) =>
		EVENT_TYPES.some((type) => {
			const offered = { ...NO_LETTER, type, [`${SUBJECTS[list]}Id`]: '' };
			return (type === 'unknown' || isTypeOf(list, type)) && isWanted(wants, offered);
		}),
	);
}

const NO_LETTER = { messageType: null, status: null, fileReference: null, customerReference: null };

function passesFilter(filter: NonNullable<Wants['filter']>, event: Offered): boolean {
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
