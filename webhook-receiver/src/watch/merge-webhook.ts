import { WATCHED_SOURCE } from '../core/event-contract.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { stepOf } from '../core/event-kinds.ts';
import { comesBefore, undoes } from '../core/statuses.ts';
import { CLOCKS_DIFFER_MS, missingSteps, placeByTable, withChange } from './changes.ts';
import type { Place } from './changes.ts';
import { ANSWERS_LAG_MS } from './pace.ts';
import type { Change, WatchRecord } from './watch.ts';

type WebhookFields = Pick<
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
	/** False if watching has already made an event of this change. */
	isNew: boolean;
	watch: WatchRecord;
	/** The status must be polled soon. */
	ask: boolean;
	/** A poll in progress may have been answered before this. */
	outdatesPolls: boolean;
}

/**
 * Merges a webhook into the state of a watched message, so that one change makes one event.
 * Duplicate keys tell webhooks apart from each other; here each is matched with
 * the change that watching saw before, if it is the same one: by step, not by event type, since
 * watching may not have known the message's type.
 *
 * @param byContent the webhook has neither an id nor a time to identify it
 */
export function mergeWebhook(
	present: WatchRecord,
	event: WebhookFields,
	{ byContent, now }: { byContent: boolean; now: number },
): Merged {
	const known = withReferences(present, event);
	const step = stepOf(event);
	// Says nothing about where the message stands.
	if (step === null) return { isNew: true, watch: known, ...NO_POLL };
	const { watch, occurredAt } = withTime(known, step, exactTime(event.occurredAt));
	const isWebhook = event.sourceType !== WATCHED_SOURCE;
	const change: Change = {
		...{ type: event.type, step, by: isWebhook ? 'webhook' : 'watching' },
		...{ hasWebhook: isWebhook, at: now, after: null, occurredAt },
	};
	const seen = isWebhook ? seenBefore(watch.changes, change, byContent) : undefined;
	if (seen !== undefined) {
		return { isNew: false, watch: confirmed(watch, seen, change), ...NO_POLL };
	}
	const place = isWebhook ? placeOf(watch, change) : placeByTable(watch.status, step);
	const noted = withChange(watch, change, place);
	if (place === 'before') return { isNew: true, watch: noted, ...NO_POLL };
	// If steps are missing, one last poll fills them in; it also ends the watch.
	const isLate = event.terminal && missingSteps(watch, step, watch.messageType).length > 0;
	const ask = place === 'unsure' || isLate;
	const isOver = event.terminal && !ask;
	const merged = isOver ? { ...noted, endReason: 'final' as const } : noted;
	return { isNew: true, watch: merged, ask, outdatesPolls: true };
}

const NO_POLL = { ask: false, outdatesPolls: false };

/** The change that a webhook repeats. */
function seenBefore(
	changes: readonly Change[],
	{ step, occurredAt }: Change,
	byContent: boolean,
): Change | undefined {
	return changes.find((change, index) => {
		// A webhook with a time or id is told apart by that, and belongs to one change.
		const isFree = byContent || !change.hasWebhook;
		return change.step === step && isFree && isPresent(changes, index, occurredAt);
	});
}

function confirmed(watch: WatchRecord, seen: Change, { occurredAt }: Change): WatchRecord {
	const confirmed = { ...seen, hasWebhook: true, occurredAt: occurredAt ?? seen.occurredAt };
	return {
		...watch,
		changes: watch.changes.map((change) => (change === seen ? confirmed : change)),
	};
}

/**
 * Whether a change was the message's current step at the webhook's time: after a bounce, a second
 * delivery is a new change (rule STAT-05). A webhook without a time counts as the later one, rather
 * than be lost.
 */
function isPresent(changes: readonly Change[], index: number, occurredAt: number | null): boolean {
	const { step, by, at, after } = changes[index] as Change;
	const next = changes.slice(index + 1).find((other) => undoes(other.step, step));
	if (occurredAt === null) return next === undefined;
	// It changed between two polls, for the last time: any other time is that of a change no poll saw.
	if (by === 'watching' && after !== null) {
		const isBetween = occurredAt >= earliestIn(after) && occurredAt <= at + CLOCKS_DIFFER_MS;
		// What came while the poll's answer was under way, the answer may not show.
		const shown = at - ANSWERS_LAG_MS;
		return isBetween && !isUndone(changes, step, { from: occurredAt, to: shown });
	}
	if (next !== undefined && occurredAt >= (next.occurredAt ?? next.at)) return false;
	const previous = changes.slice(0, index).findLast((other) => undoes(other.step, step));
	return previous === undefined || occurredAt >= earliestAfter(previous);
}

/** Whether webhooks date a change in between that undoes the step. */
function isUndone(
	changes: readonly Change[],
	step: string,
	{ from, to }: { from: number; to: number },
): boolean {
	return changes.some(({ step: other, occurredAt: time }) => {
		return undoes(other, step) && time !== null && time > from && time <= to;
	});
}

/** When something can first have followed a change. A webhook without a time fits any time. */
function earliestAfter({ occurredAt, by, at }: Change): number {
	return occurredAt ?? (by === 'watching' ? at - CLOCKS_DIFFER_MS : -Infinity);
}

function placeOf(watch: WatchRecord, { step, occurredAt }: Change): Place {
	const known = watch.status;
	if (known === null || known === step || comesBefore(known, step)) return 'after';
	if (comesBefore(step, known)) return 'before';
	// A bounce and a delivery, for example, may come in either order: only times tell.
	if (occurredAt === null) return 'unsure';
	const since = watch.changes.findLast((change) => change.step === known);
	if (since?.occurredAt) return occurredAt >= since.occurredAt ? 'after' : 'before';
	// By our clock, the last poll saw it still at `known`.
	const seenAt = since?.by === 'watching' ? watch.polledAt : null;
	if (seenAt === null || Math.abs(occurredAt - seenAt) <= CLOCKS_DIFFER_MS) return 'unsure';
	return occurredAt > seenAt ? 'after' : 'before';
}

/**
 * The time a webhook gives, or null if it can't be that of the change: it is that of the message, the
 * same in all its webhooks. A step is not reached before a poll saw the message on its way there, nor
 * at the moment of the bounce or delivery that undoes it.
 */
function withTime(
	watch: WatchRecord,
	step: string,
	occurredAt: number | null,
): { watch: WatchRecord; occurredAt: number | null } {
	if (occurredAt === null || occurredAt === watch.messageTime) return { watch, occurredAt: null };
	const { changes } = watch;
	const first = changes.find((other) => !comesBefore(other.step, step));
	const seenBefore = first === undefined ? watch.polledAt : first.after;
	const isTooEarly = seenBefore !== null && occurredAt < earliestIn(seenBefore);
	const isTwice = changes.some((other) => {
		return undoes(other.step, step) && other.occurredAt === occurredAt;
	});
	if (!isTooEarly && !isTwice) return { watch, occurredAt };
	return { watch: { ...watch, messageTime: occurredAt }, occurredAt: null };
}

/** When something can first have happened that a poll at `polledAt` did not see. */
function earliestIn(polledAt: number): number {
	return polledAt - ANSWERS_LAG_MS - CLOCKS_DIFFER_MS;
}

/** A date alone does not order that day's events. */
function exactTime(occurredAt: string | null): number | null {
	if (occurredAt === null || occurredAt.endsWith('T00:00:00.000Z')) return null;
	return Date.parse(occurredAt);
}

function withReferences(watch: WatchRecord, event: WebhookFields): WatchRecord {
	return {
		...watch,
		messageType: watch.messageType ?? event.messageType,
		fileReference: watch.fileReference ?? event.fileReference,
		customerReference: watch.customerReference ?? event.customerReference,
	};
}
