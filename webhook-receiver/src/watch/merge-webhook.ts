import { WATCHED_SOURCE } from '../contract.ts';
import type { DeliveryEvent } from '../contract.ts';
import { stepOf } from '../event-kinds.ts';
import { CLOCKS_DIFFER_MS, withChange } from './changes.ts';
import type { Change } from './changes.ts';
import { missingSteps } from './missing-steps.ts';
import { comesBefore, undoes } from './order.ts';
import type { WatchRecord } from './watch.ts';

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
	/** What the status is has to be asked soon. */
	ask: boolean;
	/** A poll under way may have been answered before this. */
	outdatesPolls: boolean;
}

/**
 * Adds what a webhook says to what is known of a watched message, so that one change makes one event
 * (design, section Outcomes). Webhooks are told apart among themselves by their duplicate keys; here
 * each is matched with the change that watching saw before, if it is the same one: by the step, not by
 * the event's type, since the message's type may not have been known when watching saw it.
 *
 * @param byContent nothing in the webhook says which one it is, neither an id nor a time
 */
export function mergeWebhook(
	present: WatchRecord,
	event: Told,
	{ byContent, now }: { byContent: boolean; now: number },
): Merged {
	const watch = withReferences(present, event);
	const step = stepOf(event);
	// It says nothing of where the message stands.
	if (step === null) return { isNew: true, watch, ask: false, outdatesPolls: false };
	const occurredAt = exactTime(event.occurredAt);
	const by = event.sourceType === WATCHED_SOURCE ? 'watching' : 'webhook';
	const known =
		by === 'watching'
			? -1
			: watch.changes.findIndex((change, index) => {
					// One that names its time or id is told from other webhooks by that, and belongs to one change.
					const isFree = byContent || !change.hasWebhook;
					return change.step === step && isFree && isPresent(watch.changes, index, occurredAt);
				});
	if (known !== -1) {
		const change = watch.changes[known] as Change;
		const told = { hasWebhook: true, occurredAt: occurredAt ?? change.occurredAt };
		const changes = watch.changes.with(known, { ...change, ...told });
		return { isNew: false, watch: { ...watch, changes }, ask: false, outdatesPolls: false };
	}
	const place =
		by === 'watching' ? placeByTable(watch.status, step) : placeOf(watch, step, occurredAt);
	const change: Change = {
		...{ type: event.type, step, by, hasWebhook: by === 'webhook' },
		...{ at: now, occurredAt },
	};
	const noted = withChange(watch, change, place === 'before');
	if (place === 'before') return { isNew: true, watch: noted, ask: false, outdatesPolls: false };
	if (place === 'unsure') {
		const unsure = { ...noted, either: step };
		return { isNew: true, watch: unsure, ask: true, outdatesPolls: true };
	}
	const moved = { ...noted, status: step, either: null, changedAt: now };
	// With steps missing a last poll makes up for them; it also ends the watch.
	const ask = event.terminal && missingSteps(noted, step, watch.messageType).length > 0;
	const ended = event.terminal && !ask ? { ...moved, endReason: 'final' as const } : moved;
	return { isNew: true, watch: ended, ask, outdatesPolls: true };
}

/**
 * Whether a change was the message's present step at the webhook's time: after a bounce, a second
 * delivery is another change (rule STAT-05). Without a time the webhook is taken for the later one,
 * rather than lose it.
 */
function isPresent(changes: readonly Change[], index: number, occurredAt: number | null): boolean {
	const { step } = changes[index] as Change;
	const next = changes.slice(index + 1).find((other) => undoes(other.step, step));
	if (occurredAt === null) return next === undefined;
	if (next !== undefined && occurredAt >= (next.occurredAt ?? next.at)) return false;
	const previous = changes.slice(0, index).findLast((other) => undoes(other.step, step));
	return previous === undefined || occurredAt >= earliestAfter(previous);
}

/** From when on something can have followed a change. A webhook without a time may come at any. */
function earliestAfter({ occurredAt, by, at }: Change): number {
	return occurredAt ?? (by === 'watching' ? at - CLOCKS_DIFFER_MS : -Infinity);
}

type Place = 'after' | 'before' | 'unsure';

function placeByTable(known: string | null, step: string): Place {
	return known !== null && comesBefore(step, known) ? 'before' : 'after';
}

/** Whether a step of which a webhook tells comes after the one that is known, or was before. */
function placeOf(watch: WatchRecord, step: string, occurredAt: number | null): Place {
	const known = watch.status;
	if (known === null || known === step || comesBefore(known, step)) return 'after';
	if (comesBefore(step, known)) return 'before';
	// A bounce and a delivery, say, may follow each other in either order: only times tell.
	if (occurredAt === null) return 'unsure';
	const since = watch.changes.findLast((change) => change.step === known);
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
