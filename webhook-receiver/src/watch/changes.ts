import type { WatchRecord } from './watch.ts';

/** A change of status that has made an event. */
export interface Change {
	type: string;
	/** The message's status, or `FAILED`, which the service has no status for. */
	step: string;
	/** What told of it first. */
	by: 'webhook' | 'watching';
	/** Whether its webhook has come: late, for one that watching saw first. */
	hasWebhook: boolean;
	/** When the receiver learned of it; milliseconds. */
	at: number;
	/** The service's time, where a webhook gave one to the second. */
	occurredAt: number | null;
}

/** A message has a handful of changes; more come only of a mailbox that bounces and recovers. */
export const CHANGES_KEPT = 20;

/** How far the service's clock and ours may differ. */
export const CLOCKS_DIFFER_MS = 2 * 60_000;

/** @param isBefore it happened before the message came to its present status */
export function withChange(watch: WatchRecord, change: Change, isBefore: boolean): WatchRecord {
	const index = placeIn(watch, change, isBefore);
	const changes = watch.changes.toSpliced(index, 0, change);
	return { ...watch, changes: changes.slice(-CHANGES_KEPT) };
}

/** Before what came later, by the service's own times, by the table, or since a poll saw it later. */
function placeIn({ changes, status }: WatchRecord, change: Change, isBefore: boolean): number {
	const { step, occurredAt } = change;
	// Nothing comes before it.
	if (step === 'SENT') return 0;
	const differ = isBefore ? 0 : CLOCKS_DIFFER_MS;
	const later = changes.findIndex((other) => {
		if (occurredAt === null || other.step === 'SENT') return false;
		if (other.occurredAt !== null) return other.occurredAt > occurredAt;
		return other.by === 'watching' && other.at - differ > occurredAt;
	});
	const present = isBefore ? changes.findLastIndex((other) => other.step === status) : -1;
	return Math.min(...[later, present].filter((index) => index !== -1), changes.length);
}
