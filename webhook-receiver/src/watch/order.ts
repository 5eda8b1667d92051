/** Nothing has happened to the message yet. */
const NOT_SENT_YET = 'SCHEDULED';

const SENT = 'SENT';

/** Steps that nothing follows. */
const LAST = ['OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'FAILED', 'CANCELLED'];

/** Steps that a message can only come to once it was sent. */
const AFTER_SENT = ['RECEIVED', 'OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'UNDELIVERED'];

/** What a message must have been in between to come to the same step again (rule STAT-05). */
const UNDONE_BY: Record<string, readonly string[]> = {
	RECEIVED: ['UNDELIVERED'],
	OPENED: ['UNDELIVERED'],
	UNDELIVERED: ['RECEIVED', 'OPENED'],
};

export function impliesSent(step: string): boolean {
	return AFTER_SENT.includes(step);
}

/**
 * Whether, by the interface's table of transitions, a message at step `later` can't come to `step` any
 * more. A bounce and a delivery may follow each other in either order, and of a status of unknown name
 * nothing is known: neither comes before the other.
 */
export function comesBefore(step: string, later: string): boolean {
	if (step === later) return false;
	if (LAST.includes(later)) return !LAST.includes(step);
	if (step === SENT) return impliesSent(later);
	return step === NOT_SENT_YET && (later === SENT || impliesSent(later));
}

export function undoes(step: string, other: string): boolean {
	return UNDONE_BY[other]?.includes(step) === true;
}
