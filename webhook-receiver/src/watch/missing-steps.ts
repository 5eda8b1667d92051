import { isTrackedMail } from '../event-kinds.ts';
import { CHANGES_KEPT } from './watch.ts';
import type { WatchRecord } from './watch.ts';

/** Statuses that a message can only have once it was sent. */
const AFTER_SENT = ['RECEIVED', 'OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'UNDELIVERED'];

/**
 * What must have happened to a message that has a status, by the interface's table of transitions,
 * and of which neither a webhook nor a poll has told yet.
 */
export function missingSteps(
	{ changes, status: known, either }: WatchRecord,
	status: string,
	messageType: string | null,
): string[] {
	const now = status.toUpperCase();
	const missing: string[] = [];
	const wasSent = changes.some((change) => change.status === 'SENT');
	if (AFTER_SENT.includes(now) && !wasSent && changes.length < CHANGES_KEPT) missing.push('SENT');
	// Rule STAT-02: what is opened, or expires without having been, was delivered before.
	const isTracked = isTrackedMail(messageType) || now === 'OPENED';
	if (!isTracked || (now !== 'OPENED' && now !== 'EXPIRED')) return missing;
	const bounce = changes.findLastIndex((change) => change.status === 'UNDELIVERED');
	const wasDelivered =
		[known, either].includes('RECEIVED') ||
		changes.slice(bounce + 1).some((change) => change.status === 'RECEIVED');
	return wasDelivered ? missing : [...missing, 'RECEIVED'];
}
