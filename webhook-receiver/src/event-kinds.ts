import type { DeliveryEvent } from './contract.ts';

/** What an event name says by itself. */
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

/** Rule SCHD-04: the scheduled letter was not sent. */
const LRE_FAILED: EventKind = {
	type: 'lre.failed',
	status: null,
	terminal: true,
	reversible: false,
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
