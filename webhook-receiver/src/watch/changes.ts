import { comesBefore, impliesSent, isTrackedMail } from '../core/statuses.ts';
import type { Change, WatchRecord } from './watch.ts';

/**
 * A message has a handful of changes; only a mailbox that keeps bouncing and recovering has more.
 */
const CHANGES_KEPT = 20;

/** How far the service's clock and ours may differ. */
export const CLOCKS_DIFFER_MS = 2 * 60_000;

/**
 * When a change happened relative to the current status: after it, so that it becomes the current
 * one; before it; or not known yet.
 */
export type Place = 'after' | 'before' | 'unsure';

/** From the table alone, for a change without a time. */
export function placeByTable(known: string | null, step: string): Place {
	return known !== null && comesBefore(step, known) ? 'before' : 'after';
}

/** Adds a change to those of a message. */
export function withChange(watch: WatchRecord, change: Change, place: Place): WatchRecord {
	const changes = watch.changes
		.toSpliced(indexOf(watch, change, place), 0, change)
		.slice(-CHANGES_KEPT);
	const { step, at } = change;
	switch (place) {
		case 'after':
			return { ...watch, changes, status: step, either: null, changedAt: at };
		case 'before':
			return { ...watch, changes };
		case 'unsure':
			return { ...watch, changes, either: step };
	}
}

/**
 * Before any later change: by the service's times, by the table, or because a poll saw it later.
 */
function indexOf({ changes, status }: WatchRecord, change: Change, place: Place): number {
	const { step, occurredAt } = change;
	// Nothing comes before it.
	if (step === 'SENT') return 0;
	const isBefore = place === 'before';
	const differ = isBefore ? 0 : CLOCKS_DIFFER_MS;
	const later = changes.findIndex((other) => {
		if (occurredAt === null || other.step === 'SENT') return false;
		if (other.occurredAt !== null) return other.occurredAt > occurredAt;
		return other.by === 'watching' && other.at - differ > occurredAt;
	});
	const present = isBefore ? changes.findLastIndex((other) => other.step === status) : -1;
	return Math.min(...[later, present].filter((index) => index !== -1), changes.length);
}

/**
 * Steps a message must have gone through to reach a step, by the interface's table of transitions,
 * that neither a webhook nor a poll has reported yet.
 */
export function missingSteps(
	{ changes, status: known, either }: WatchRecord,
	step: string,
	messageType: string | null,
): string[] {
	const missing: string[] = [];
	const wasSent = changes.some((change) => change.step === 'SENT');
	if (impliesSent(step) && !wasSent && changes.length < CHANGES_KEPT) missing.push('SENT');
	// Rule STAT-02: a message that is opened, or expires unopened, was delivered before.
	const isTracked = isTrackedMail(messageType) || step === 'OPENED';
	if (!isTracked || (step !== 'OPENED' && step !== 'EXPIRED')) return missing;
	const bounce = changes.findLastIndex((change) => change.step === 'UNDELIVERED');
	const wasDelivered =
		[known, either].includes('RECEIVED') ||
		changes.slice(bounce + 1).some((change) => change.step === 'RECEIVED');
	return wasDelivered ? missing : [...missing, 'RECEIVED'];
}
