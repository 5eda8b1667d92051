import { isTrackedMail } from '../event-kinds.ts';
import { CHANGES_KEPT } from './changes.ts';
import { impliesSent } from './order.ts';
import type { WatchRecord } from './watch.ts';

/**
 * What must have happened to a message that has come to a step, by the interface's table of
 * transitions, and of which neither a webhook nor a poll has told yet.
 */
export function missingSteps(
	{ changes, status: known, either }: WatchRecord,
	step: string,
	messageType: string | null,
): string[] {
	const missing: string[] = [];
	const wasSent = changes.some((change) => change.step === 'SENT');
	if (impliesSent(step) && !wasSent && changes.length < CHANGES_KEPT) missing.push('SENT');
	// Rule STAT-02: what is opened, or expires without having been, was delivered before.
	const isTracked = isTrackedMail(messageType) || step === 'OPENED';
	if (!isTracked || (step !== 'OPENED' && step !== 'EXPIRED')) return missing;
	const bounce = changes.findLastIndex((change) => change.step === 'UNDELIVERED');
	const wasDelivered =
		[known, either].includes('RECEIVED') ||
		changes.slice(bounce + 1).some((change) => change.step === 'RECEIVED');
	return wasDelivered ? missing : [...missing, 'RECEIVED'];
}
