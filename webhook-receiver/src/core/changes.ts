import { WATCHED_SOURCE } from './event-contract.ts';
import type { DeliveryEvent, EventType, MessageType } from './event-contract.ts';
import type { EventKind } from './event-kinds.ts';
import { isSameMark, timeIn } from './mark.ts';
import { isDayOnly } from './read-time.ts';
import { comesBefore, impliesSent, isTrackedMail, undoes } from './statuses.ts';

// The changes of a letter in the order in which they happened, by the service's times, which are
// compared with each other and never with our clock, and by the interface's table of transitions.

/** A change of status, or of a consent's or customer's state. */
export interface Change {
	/** Of its event; null for a state that is no event. */
	type: EventType | null;
	/** The message's status, or `FAILED`, for which the service has no status; or the state. */
	step: string;
	/** When the receiver learned of it; milliseconds. */
	at: number;
	/** What told of it first. */
	by: 'webhook' | 'poll';
	/** Of its webhook; null while only a poll has seen it. */
	mark: string | null;
	/** The event that it made; null for a state that has been so since before the first look. */
	eventId: string | null;
}

/** An event to be stored; the store assigns its sequence. */
export type NewEvent = Omit<DeliveryEvent, 'sequence'>;

/** Where the ids of events come from; each has the time in it when its event was received, in milliseconds. */
export type NewId = (receivedAt: number) => string;

/** What is known after an observation. */
export interface Observed<Known> {
	record: Known;
	/** Of what is new, in the order in which it happened. */
	events: NewEvent[];
}

/** The event of what a poll or a list showed, which has no time of its own. */
export function polledEvent(
	kind: EventKind,
	about: Pick<NewEvent, 'messageId' | 'messageType' | 'raw'> & Partial<NewEvent>,
	now: number,
	newId: NewId,
): NewEvent {
	return {
		id: newId(now),
		...kind,
		sourceType: WATCHED_SOURCE,
		occurredAt: null,
		receivedAt: new Date(now).toISOString(),
		fileReference: null,
		customerReference: null,
		...about,
	};
}

/** There are a handful of them; only a mailbox that keeps bouncing and recovering has more. */
export const CHANGES_KEPT = 50;

/**
 * Whether a webhook of that step has come before: the same one, of the same round. A second delivery may
 * look just like the first, and begins with the bounce between the two (rule STAT-05).
 */
export function isRepeated(changes: readonly Change[], step: string, mark: string): boolean {
	const last = changes.findLastIndex((change) => {
		return change.step === step && change.mark !== null && isSameMark(change.mark, mark);
	});
	if (last === -1) return false;
	const time = timeIn(mark);
	return !changes.slice(last + 1).some((other) => {
		if (!undoes(other.step, step)) return false;
		if (time === null) return true;
		// With times of their own, the two would differ.
		const otherTime = other.mark && timeIn(other.mark);
		return otherTime === null ? isDayOnly(time) : otherTime === time;
	});
}

/** Where a change is that a poll has seen and a webhook with that mark tells of; -1 for nowhere. */
export function seenByPoll(changes: readonly Change[], step: string, mark: string): number {
	const time = exactTime(mark);
	return changes.findIndex((change, place) => {
		return change.step === step && change.mark === null && wasThen(changes, place, time);
	});
}

/** With the webhook of a change that a poll has seen. */
export function confirmed(changes: readonly Change[], seen: number, mark: string): Change[] {
	const change = { ...(changes[seen] as Change), mark };
	const later = firstAfter(changes, change);
	const place = later === -1 ? seen : Math.min(seen, later);
	return changes.toSpliced(seen, 1).toSpliced(place, 0, change);
}

/** With a change where it belongs: by the service's times, then by the table, else as the latest. */
export function withChange(changes: readonly Change[], change: Change): Change[] {
	const { step } = change;
	const status = changes.at(-1)?.step ?? null;
	const first = firstAfter(changes, change);
	const later = isRoundBefore(changes, first, step) ? first - 1 : first;
	const isBefore = status !== null && comesBefore(step, status);
	const places = [later, isBefore ? changes.length - 1 : -1].filter((place) => place !== -1);
	// Nothing comes before it.
	const place = step === 'SENT' ? 0 : Math.min(...places, changes.length);
	return changes.toSpliced(place, 0, change).slice(-CHANGES_KEPT);
}

/**
 * Steps a letter must have gone through to reach a step, by the interface's table of transitions, that
 * neither a webhook nor a poll has reported yet.
 */
export function missingSteps(
	changes: readonly Change[],
	step: string,
	messageType: MessageType | null,
): string[] {
	const missing: string[] = [];
	const wasSent = changes.some((change) => change.step === 'SENT');
	if (impliesSent(step) && !wasSent && changes.length < CHANGES_KEPT) missing.push('SENT');
	// Rule STAT-02: a message that is opened, or expires unopened, was delivered before.
	const isTracked = isTrackedMail(messageType) || step === 'OPENED';
	if (!isTracked || (step !== 'OPENED' && step !== 'EXPIRED')) return missing;
	const bounce = changes.findLastIndex((change) => change.step === 'UNDELIVERED');
	const wasDelivered = changes.slice(bounce + 1).some((change) => change.step === 'RECEIVED');
	return wasDelivered ? missing : [...missing, 'RECEIVED'];
}

/**
 * Whether a change that a poll saw may have been at that time of the service's. A webhook without a
 * time counts as a later change, rather than be lost.
 */
function wasThen(changes: readonly Change[], place: number, time: string | null): boolean {
	const { step } = changes[place] as Change;
	const next = changes.slice(place + 1).find((other) => undoes(other.step, step));
	if (time === null) return next === undefined;
	const until = next && timeOf(next);
	if (until && time >= until) return false;
	const previous = changes.slice(0, place).findLast((other) => undoes(other.step, step));
	// Which webhook belongs to what a poll saw is not as sure as that the poll came after a webhook.
	const from = previous?.by === 'webhook' ? timeOf(previous) : null;
	return from === null || time >= from;
}

/** Whether a step that comes before the change there comes before the one that a poll saw, too. */
function isRoundBefore(changes: readonly Change[], place: number, step: string): boolean {
	const [previous, next] = [changes[place - 1], changes[place]];
	if (previous === undefined || next?.step !== step) return false;
	return undoes(previous.step, step) && timeOf(previous) === null;
}

/** The first change that is later by the service's times; -1 if none is known to be. */
function firstAfter(changes: readonly Change[], change: Change): number {
	const time = timeOf(change);
	if (time === null) return -1;
	return changes.findIndex((other) => other.step !== 'SENT' && (timeOf(other) ?? '') > time);
}

/** The service's time of a change, or null if no webhook has told it. */
function timeOf({ mark }: Change): string | null {
	return mark === null ? null : exactTime(mark);
}

/** Null also for a date without a time, which orders nothing within its day. */
function exactTime(mark: string): string | null {
	const time = timeIn(mark);
	return time === null || isDayOnly(time) ? null : time;
}
