import { EVENT_TYPES } from './event-contract.ts';
import type { DeliveryEvent } from './event-contract.ts';
import { SUBJECTS } from './lists.ts';
import type { ListName } from './lists.ts';
import { isLast, isTrackedMail } from './statuses.ts';

/** What an event name, or a status, says on its own. */
export type EventKind = Pick<DeliveryEvent, 'type' | 'status' | 'terminal' | 'reversible'>;

export const UNKNOWN_KIND: EventKind = {
	type: 'unknown',
	status: null,
	terminal: false,
	reversible: false,
};

/** Nothing has happened to the message yet. */
const NOT_AN_EVENT = 'SCHEDULED';

/** Where a failed message ends up; the service shows no status for it. */
const FAILED = 'FAILED';

/** All webhooks of the service (rules EVNT-01, SCHD-04): no other name reveals the status. */
const WEBHOOKS = new Map<string, EventKind | null>([
	...['SENT', 'RECEIVED', 'OPENED', 'UNDELIVERED', FAILED].flatMap((status) =>
		['AES', 'MT'].map((type) => webhook(type, status)),
	),
	webhook('LRE', FAILED),
]);

/**
 * The kind a name stands for, or null. Ignores case and separators (rules TYPE-06, EVNT-01); a bare
 * state such as `sent` counts only if the message type is known from elsewhere.
 */
export function eventKind(name: string, messageType: string | null = null): EventKind | null {
	const bare = name.toLowerCase().replace(/[\s._-]/g, '');
	return WEBHOOKS.get(bare) ?? WEBHOOKS.get(`${messageType?.toLowerCase()}${bare}`) ?? null;
}

/**
 * The kind a message's status stands for (rules READ-06, STAT-01 to STAT-07); null for SCHEDULED,
 * which is not an event. A status of unknown name is of kind `unknown` and keeps its name. Without
 * a type, OPENED means tracked mail and everything else a letter.
 *
 * Which statuses follow which is undocumented for letters: we assume that the
 * recipient's decision ends an LRE, and that RECEIVED, which implies opening, ends an LS or AS. Nor
 * are the words for a failed or cancelled message documented: we assume these.
 */
export function kindOfStatus(status: string, messageType: string | null): EventKind | null {
	const name = status.toUpperCase();
	if (name === NOT_AN_EVENT) return null;
	const type = typeOf(name, messageType);
	if (type === undefined) return { ...UNKNOWN_KIND, status };
	const isOnlyReceived = messageType === 'LS' || messageType === 'AS';
	return {
		type,
		status: name === FAILED ? null : name,
		terminal: isLast(name) || (name === 'RECEIVED' && isOnlyReceived),
		// An e-mail that could not be delivered may arrive after all.
		reversible: name === 'UNDELIVERED',
	};
}

/**
 * The kind that the state of a consent or customer stands for (rules CONS-07, CUST-04); null for
 * PENDING, which is not an event. A state of unknown name is of kind `unknown` and keeps its name.
 *
 * Which states follow which is undocumented: we assume that only a customer who has accepted can
 * change again.
 */
export function kindOfState(list: ListName, state: string): EventKind | null {
	const name = state.toUpperCase();
	if (name === 'PENDING') return null;
	const named = `${SUBJECTS[list]}.${name.toLowerCase()}`;
	const type = EVENT_TYPES.find((known) => known === named);
	if (type === undefined) return { ...UNKNOWN_KIND, status: state };
	const mayChange = type === 'customer.accepted';
	return { type, status: name, terminal: !mayChange, reversible: mayChange };
}

/**
 * The step a message reaches with an event, named as the service names statuses; null for an event
 * that says nothing about it. One change always yields the same step, whatever reported it and
 * whether the message's type was known then.
 */
export function stepOf({ type, status }: Pick<EventKind, 'type' | 'status'>): string | null {
	return type.endsWith('.failed') ? FAILED : (status?.toUpperCase() ?? null);
}

/** Undefined if messages of this type are not known to have the status. */
function typeOf(name: string, messageType: string | null): EventKind['type'] | undefined {
	const isTracked = messageType === null ? name === 'OPENED' : isTrackedMail(messageType);
	const letter = messageType === 'LRE' && name === FAILED ? 'lre' : 'letter';
	const type = `${isTracked ? 'tracked_mail' : letter}.${name.toLowerCase()}`;
	return EVENT_TYPES.find((known) => known === type);
}

function webhook(messageType: string, status: string): [string, EventKind | null] {
	return [`${messageType}${status}`.toLowerCase(), kindOfStatus(status, messageType)];
}
