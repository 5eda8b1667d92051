/**
 * How far along each status is, by the interface's table of transitions; nothing follows the last
 * ones. FAILED is our name for the end of a message that could not be sent, for which the service
 * shows no status.
 */
const STAGES = [
	['SCHEDULED'],
	['SENT'],
	// Either may follow the other: a mailbox that bounces may recover (rule STAT-05).
	['RECEIVED', 'UNDELIVERED'],
	['OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'FAILED', 'CANCELLED'],
];

/** Ends reached before the message is sent, or instead of sending. */
const NEVER_SENT = ['FAILED', 'CANCELLED'];

const DELIVERED = ['RECEIVED', 'OPENED'];
const BOUNCED = 'UNDELIVERED';

/** Whether nothing follows it. A status of unknown name is never the last. */
export function isLast(status: string): boolean {
	return STAGES.at(-1)?.includes(status) === true;
}

/** Whether a message reaches it only after it was sent. */
export function impliesSent(status: string): boolean {
	return stageOf(status) > 1 && !NEVER_SENT.includes(status);
}

/**
 * Whether a message at status `later` can no longer reach `status`. A bounce and a delivery have no
 * fixed order, nor does a status of unknown name.
 */
export function comesBefore(status: string, later: string): boolean {
	return isLast(later) ? !isLast(status) : stageOf(status) < stageOf(later);
}

/** Whether a message can return to one of them only after the other (rule STAT-05). */
export function undoes(one: string, other: string): boolean {
	return isBounceAndDelivery(one, other) || isBounceAndDelivery(other, one);
}

/** AES and MT are two spellings of it (rule TYPE-06). */
export function isTrackedMail(messageType: string | null): boolean {
	return messageType === 'AES' || messageType === 'MT';
}

/** NaN for an unknown name, so that every comparison is false. */
function stageOf(status: string): number {
	const stage = STAGES.findIndex((statuses) => statuses.includes(status));
	return stage === -1 ? NaN : stage;
}

function isBounceAndDelivery(bounce: string, delivery: string): boolean {
	return bounce === BOUNCED && DELIVERED.includes(delivery);
}
