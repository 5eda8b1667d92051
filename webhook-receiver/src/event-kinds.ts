import type { DeliveryEvent } from './contract.ts';

/** What an event name, or a status, says by itself. */
export type EventKind = Pick<DeliveryEvent, 'type' | 'status' | 'terminal' | 'reversible'>;

export const UNKNOWN_KIND: EventKind = {
	type: 'unknown',
	status: null,
	terminal: false,
	reversible: false,
};

/** Rules STAT-01 to STAT-05 and STAT-07; the status after a send failure is not shown. */
const TRACKED_MAIL: Record<string, EventKind> = {
	sent: { type: 'tracked_mail.sent', status: 'SENT', terminal: false, reversible: false },
	received: {
		type: 'tracked_mail.received',
		status: 'RECEIVED',
		terminal: false,
		reversible: false,
	},
	opened: { type: 'tracked_mail.opened', status: 'OPENED', terminal: true, reversible: false },
	undelivered: {
		type: 'tracked_mail.undelivered',
		status: 'UNDELIVERED',
		terminal: false,
		reversible: true,
	},
	failed: { type: 'tracked_mail.failed', status: null, terminal: true, reversible: false },
};

/** Rule STAT-06. No webhook says it, so only a status does. */
const TRACKED_EXPIRED: EventKind = {
	type: 'tracked_mail.expired',
	status: 'EXPIRED',
	terminal: true,
	reversible: false,
};

/** Rule SCHD-04: the scheduled letter was not sent. */
const LRE_FAILED: EventKind = {
	type: 'lre.failed',
	status: null,
	terminal: true,
	reversible: false,
};

/** An LS or AS, or a message of unknown type. No webhook says it, so only a status does. */
const LETTER_FAILED: EventKind = { ...LRE_FAILED, type: 'letter.failed' };

/**
 * Letters (LRE, LS, AS). Which statuses follow which is not shown (design, open points): the
 * recipient's decision ends an LRE, RECEIVED (the recipient has opened it) an LS or AS, and an e-mail
 * that could not be delivered may arrive after all.
 */
const LETTER: Record<string, EventKind> = {
	SENT: { type: 'letter.sent', status: 'SENT', terminal: false, reversible: false },
	RECEIVED: { type: 'letter.received', status: 'RECEIVED', terminal: false, reversible: false },
	ACCEPTED: { type: 'letter.accepted', status: 'ACCEPTED', terminal: true, reversible: false },
	REFUSED: { type: 'letter.refused', status: 'REFUSED', terminal: true, reversible: false },
	EXPIRED: { type: 'letter.expired', status: 'EXPIRED', terminal: true, reversible: false },
	UNDELIVERED: {
		type: 'letter.undelivered',
		status: 'UNDELIVERED',
		terminal: false,
		reversible: true,
	},
};

const KINDS = new Map<string, EventKind>([
	...Object.entries(TRACKED_MAIL).flatMap(
		([state, kind]): Array<[string, EventKind]> => [
			[`aes${state}`, kind],
			[`mt${state}`, kind],
		],
	),
	['lrefailed', LRE_FAILED],
]);

/**
 * The kind a name stands for, or null. Case and separators do not matter (rules TYPE-06, EVNT-01);
 * a bare state such as `sent` counts when the message type is known from elsewhere.
 */
export function eventKind(name: string, messageType: string | null = null): EventKind | null {
	const bare = name.toLowerCase().replace(/[\s._-]/g, '');
	return KINDS.get(bare) ?? KINDS.get(`${messageType?.toLowerCase()}${bare}`) ?? null;
}

/** Nothing has happened to the message yet. */
const NOT_AN_EVENT = 'SCHEDULED';

/**
 * The kind a message's status stands for (rules READ-06, STAT-01 to STAT-06); null for SCHEDULED,
 * which is not an event. A status of unknown name is of kind `unknown` and keeps its name. Without a
 * type, OPENED speaks of tracked mail and everything else of a letter.
 */
export function kindOfStatus(status: string, messageType: string | null): EventKind | null {
	const name = status.toUpperCase();
	if (name === NOT_AN_EVENT) return null;
	const isTracked = messageType === null ? name === 'OPENED' : isTrackedMail(messageType);
	const known = isTracked ? trackedKind(name) : letterKind(name, messageType);
	return known ?? endOf(name, messageType) ?? { ...UNKNOWN_KIND, status };
}

/** What a failed message has come to, of which the service shows no status. */
const FAILED = 'FAILED';

/**
 * What a message comes to with an event, in the words of the service's statuses; null for an event
 * that tells nothing of it. The same for one change, whatever told of it and whether the message's
 * type was known then.
 */
export function stepOf({ type, status }: Pick<EventKind, 'type' | 'status'>): string | null {
	return type.endsWith('.failed') ? FAILED : (status?.toUpperCase() ?? null);
}

/** AES and MT are two spellings of it (rule TYPE-06). */
export function isTrackedMail(messageType: string | null): boolean {
	return messageType === 'AES' || messageType === 'MT';
}

function trackedKind(name: string): EventKind | undefined {
	if (name === 'EXPIRED') return TRACKED_EXPIRED;
	const kind = ownValue(TRACKED_MAIL, name.toLowerCase());
	return kind?.status === name ? kind : undefined;
}

/** RECEIVED is the end of what is only to be received. */
function letterKind(name: string, messageType: string | null): EventKind | undefined {
	const kind = ownValue(LETTER, name);
	const isEnd = name === 'RECEIVED' && (messageType === 'LS' || messageType === 'AS');
	return kind && isEnd ? { ...kind, terminal: true } : kind;
}

/**
 * The status after a failed or cancelled send is not shown (design, open points). We take it that
 * the words are these; under other ones the kind is `unknown`.
 */
function endOf(name: string, messageType: string | null): EventKind | undefined {
	if (name === 'CANCELLED') return { ...UNKNOWN_KIND, status: name, terminal: true };
	if (name !== FAILED) return undefined;
	if (isTrackedMail(messageType)) return TRACKED_MAIL.failed;
	return messageType === 'LRE' ? LRE_FAILED : LETTER_FAILED;
}

function ownValue(kinds: Record<string, EventKind>, name: string): EventKind | undefined {
	return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}
