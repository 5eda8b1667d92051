import { isTrackedMail, type MessageStatus, type MessageType } from '../state/model.ts';

/** What can happen to a message after it is sent. */
export const TRIGGERS = [
	'deliver',
	'open',
	'bounce',
	'accept',
	'refuse',
	'fail',
	'expire',
] as const;
export type Trigger = (typeof TRIGGERS)[number];

type Table = Partial<Record<Trigger, { from: MessageStatus[]; to: MessageStatus }>>;

/** Section States, tracked mail (rules STAT-02 to STAT-07). */
const TRACKED: Table = {
	deliver: { from: ['SENT', 'UNDELIVERED'], to: 'RECEIVED' },
	open: { from: ['RECEIVED', 'OPENED'], to: 'OPENED' },
	bounce: { from: ['SENT', 'RECEIVED', 'OPENED'], to: 'UNDELIVERED' },
	expire: { from: ['RECEIVED'], to: 'EXPIRED' },
	fail: { from: ['SENT', 'SCHEDULED'], to: 'FAILED' },
};

/**
 * Design, open points: the interface does not show the transitions of letters. The notice that
 * reaches the mailbox changes no status; RECEIVED means that the recipient opened the letter.
 */
const SIMPLE: Table = {
	deliver: { from: ['SENT', 'UNDELIVERED'], to: 'SENT' },
	open: { from: ['SENT', 'RECEIVED'], to: 'RECEIVED' },
	bounce: { from: ['SENT'], to: 'UNDELIVERED' },
	expire: { from: ['SENT'], to: 'EXPIRED' },
	fail: { from: ['SENT', 'SCHEDULED'], to: 'FAILED' },
};

/** Design, open points: opening the notice of an LRE decides nothing; accepting or refusing does. */
const REGISTERED: Table = {
	...SIMPLE,
	open: { from: ['SENT', 'ACCEPTED'], to: 'SENT' },
	accept: { from: ['SENT'], to: 'ACCEPTED' },
	refuse: { from: ['SENT'], to: 'REFUSED' },
};

const tableOf = (type: MessageType): Table => {
	if (isTrackedMail(type)) return TRACKED;
	return type === 'LRE' ? REGISTERED : SIMPLE;
};

/** The status a trigger leads to, or null if it cannot happen now. */
export function nextStatus(
	type: MessageType,
	status: MessageStatus,
	trigger: Trigger,
): MessageStatus | null {
	const rule = tableOf(type)[trigger];
	if (!rule?.from.includes(status)) return null;
	// Opening an accepted letter again does not undo the acceptance.
	return type === 'LRE' && trigger === 'open' ? status : rule.to;
}

/** What the recipient's side can do now, for the buttons on the mails page. */
export const possibleTriggers = (type: MessageType, status: MessageStatus): Trigger[] =>
	TRIGGERS.filter((trigger) => nextStatus(type, status, trigger) !== null);

/** Evidence event types, the path value `status` (rule EVID-01). */
export const EVIDENCE_TYPES = [
	'SENT',
	'RECEIVED',
	'ACCEPTED',
	'REFUSED',
	'EXPIRED',
	'UNDELIVERED',
] as const;
export type EvidenceType = (typeof EVIDENCE_TYPES)[number];

/**
 * Event types that produce an evidence (section Evidence event types; not tracked mail, AES-04).
 */
export function evidenceTypes(type: MessageType): EvidenceType[] {
	if (isTrackedMail(type)) return [];
	const common: EvidenceType[] = ['SENT', 'EXPIRED', 'UNDELIVERED'];
	if (type === 'LRE') return [...common, 'ACCEPTED', 'REFUSED'];
	return type === 'LS' ? [...common, 'RECEIVED'] : common;
}

/** Webhook kinds of tracked mail by trigger (section Events). */
export const TRACKED_EVENTS: Partial<Record<Trigger | 'send', string>> = {
	send: 'sent',
	deliver: 'received',
	open: 'opened',
	bounce: 'undelivered',
	fail: 'failed',
};
