import type { DeliveryEvent } from '../contract.ts';
import { missingSteps } from './missing-steps.ts';
import { withChange } from './watch.ts';
import type { Change, WatchRecord } from './watch.ts';

/** How far the service's clock and ours may differ. */
const CLOCKS_DIFFER_MS = 2 * 60_000;

type Told = Pick<
	DeliveryEvent,
	| 'type'
	| 'status'
	| 'terminal'
	| 'sourceType'
	| 'messageType'
	| 'occurredAt'
	| 'fileReference'
	| 'customerReference'
>;

export interface Merged {
	/** False: watching has made an event of this change before. */
	isNew: boolean;
	watch: WatchRecord;
	/** What the status is has to be asked at once. */
	ask: boolean;
	/** A poll under way may have been answered before this. */
	outdatesPolls: boolean;
}

/**
 * Adds what a webhook says to what is known of a watched message, so that one change makes one event
 * (design, section Outcomes). Webhooks are told apart among themselves by their duplicate keys; here
 * each is matched with the change that watching saw before, if it is the same one.
 *
 * @param byContent nothing in the webhook says which one it is, neither an id nor a time
 */
export function mergeWebhook(
	present: WatchRecord,
	event: Told,
	{ byContent, now }: { byContent: boolean; now: number },
): Merged {
	const occurredAt = exactTime(event.occurredAt);
	const watch = withReferences(present, event);
	const known = watch.changes.findIndex(
		(change) => isSame(change, event, byContent) && isPresent(watch, change, occurredAt),
	);
	if (known !== -1) {
		const changes = watch.changes.with(known, {
			...(watch.changes[known] as Change),
			...{ hasWebhook: true, occurredAt: occurredAt ?? watch.changes[known]?.occurredAt ?? null },
		});
		return { isNew: false, watch: { ...watch, changes }, ask: false, outdatesPolls: false };
	}
	const by = event.sourceType === 'status' ? 'watching' : 'webhook';
	const { type, status } = event;
	const change = { type, status, by, hasWebhook: by === 'webhook', at: now, occurredAt } as const;
	const place = placeOf(watch, status, occurredAt);
	const noted = withChange(watch, change);
	if (place === 'before') return { isNew: true, watch: noted, ask: false, outdatesPolls: false };
	if (place === 'unsure') {
		const unsure = { ...noted, either: status };
		return { isNew: true, watch: unsure, ask: true, outdatesPolls: true };
	}
	const moved = {
		...noted,
		...(status !== null && { status, either: null }),
		changedAt: now,
	};
	// With steps missing a last poll makes up for them; it also ends the watch.
	const ask =
		event.terminal && status !== null && missingSteps(noted, status, watch.messageType).length > 0;
	const ended = event.terminal && !ask ? { ...moved, endReason: 'final' as const } : moved;
	return { isNew: true, watch: ended, ask, outdatesPolls: true };
}

/** Whether the webhook may be about the change that was noted. */
function isSame(change: Change, event: Told, byContent: boolean): boolean {
	if (change.type !== event.type || event.type === 'unknown') return false;
	// One that names its time or id is told from other webhooks by that, and belongs to one change.
	return byContent || !change.hasWebhook;
}

/** What a message's status must have been in between to come to the same status again. */
const UNDONE_BY: Record<string, readonly string[]> = {
	'tracked_mail.received': ['tracked_mail.undelivered'],
	'tracked_mail.opened': ['tracked_mail.undelivered'],
	'tracked_mail.undelivered': ['tracked_mail.received', 'tracked_mail.opened'],
};

/**
 * Whether a change still stood at the webhook's time: after a bounce, a second delivery is another
 * change (rule STAT-05). Without a time it is taken for the later one, rather than lose it.
 */
function isPresent({ changes }: WatchRecord, change: Change, occurredAt: number | null): boolean {
	const undoing = UNDONE_BY[change.type] ?? [];
	const later = changes.slice(changes.indexOf(change) + 1);
	const undone = later.find(({ type }) => undoing.includes(type));
	if (undone === undefined) return true;
	return occurredAt !== null && occurredAt < (undone.occurredAt ?? change.at);
}

type Place = 'after' | 'before' | 'unsure';

/** Whether a status of which a webhook tells comes after the one that is known, or was before. */
function placeOf(watch: WatchRecord, status: string | null, occurredAt: number | null): Place {
	const known = watch.status;
	if (status === null || known === null || known === status) return 'after';
	if (known === 'SCHEDULED' || known === 'SENT') return 'after';
	if (status === 'SENT') return 'before';
	const isBounce = known === 'UNDELIVERED' || status === 'UNDELIVERED';
	if (!isBounce) return known === 'OPENED' && status === 'RECEIVED' ? 'before' : 'after';
	// A bounce and a delivery may follow each other in either order: only times tell.
	if (occurredAt === null) return 'unsure';
	const since = watch.changes.findLast((change) => change.status === known);
	if (since?.occurredAt) return occurredAt >= since.occurredAt ? 'after' : 'before';
	// By our clock, at the last poll, it was `known`.
	const seenAt = since?.by === 'watching' ? watch.polledAt : null;
	if (seenAt === null || Math.abs(occurredAt - seenAt) <= CLOCKS_DIFFER_MS) return 'unsure';
	return occurredAt > seenAt ? 'after' : 'before';
}

/** A day alone does not order what happened on it. */
function exactTime(occurredAt: string | null): number | null {
	if (occurredAt === null || occurredAt.endsWith('T00:00:00.000Z')) return null;
	return Date.parse(occurredAt);
}

function withReferences(watch: WatchRecord, event: Told): WatchRecord {
	return {
		...watch,
		messageType: watch.messageType ?? event.messageType,
		fileReference: watch.fileReference ?? event.fileReference,
		customerReference: watch.customerReference ?? event.customerReference,
	};
}
