import { WATCHED_SOURCE } from './event-contract.ts';
import type { DeliveryEvent, MessageType, StoredWatch, Watch } from './event-contract.ts';
import { kindOfStatus, stepOf } from './event-kinds.ts';
import type { EventKind } from './event-kinds.ts';
import { isSameMark, timeIn } from './mark.ts';
import type { Mark } from './mark.ts';
import { isDayOnly } from './read-time.ts';
import { comesBefore, impliesSent, isTrackedMail, undoes } from './statuses.ts';

/** A change of status, which has made one event. */
export interface Change {
	type: string;
	/** The message's status, or `FAILED`, for which the service has no status. */
	step: string;
	/** When the receiver learned of it; milliseconds. */
	at: number;
	/** What told of it first. */
	by: 'webhook' | 'poll';
	/** Of its webhook; null while only a poll has seen it. */
	mark: string | null;
}

/** The polls of a watched letter; times in milliseconds. */
export interface Watching {
	createdAt: number;
	polledAt: number | null;
	/** What the last poll saw. */
	polled: string | null;
	/** Consecutive polls without a usable answer. */
	failures: number;
	/** While the service says the message does not exist: since when, and how often it has. */
	notFound: { since: number; times: number } | null;
	problem: string | null;
	endReason: StoredWatch['endReason'];
}

/** All that is known of a letter; stored as JSON. */
export interface LetterRecord {
	messageType: MessageType | null;
	fileReference: string | null;
	customerReference: string | null;
	/** In the order in which they happened; the last is where the letter stands. */
	changes: Change[];
	/** Events that are no change of status: their marks, and how long a mark counts; null for good. */
	others: Array<{ mark: string; until: number | null }>;
	/** Null unless somebody has asked to watch it. */
	watch: Watching | null;
}

/** An event to be stored; the store assigns its id and sequence. */
export type NewEvent = Omit<DeliveryEvent, 'id' | 'sequence'>;

/** What the receiver learned of a letter. */
export type Observation =
	| { kind: 'webhook'; event: NewEvent; mark: Mark; windowMs: number }
	| {
			kind: 'status';
			messageId: string;
			status: string;
			evidences: Array<{ eventType: string }>;
			/** The record when the poll's request left. */
			asked: LetterRecord;
	  };

export interface Observed {
	record: LetterRecord;
	/** In the order in which things happened. */
	events: NewEvent[];
}

/** A letter has a handful of changes; only a mailbox that keeps bouncing and recovering has more. */
const CHANGES_KEPT = 50;
const OTHERS_KEPT = 50;

const NOTHING_KNOWN: LetterRecord = {
	messageType: null,
	fileReference: null,
	customerReference: null,
	changes: [],
	others: [],
	watch: null,
};

/**
 * What the receiver knows of a letter after an observation, and the events of what is new in it. Here
 * alone is decided whether two observations are of one change.
 */
export function observe(
	record: LetterRecord | null,
	observation: Observation,
	now: number,
): Observed {
	const known = record ?? NOTHING_KNOWN;
	if (observation.kind === 'status') return withStatus(known, observation, now);
	const { event, mark, windowMs } = observation;
	const step = stepOf(event);
	const next = withDetails(known, event);
	return step === null
		? withOther(next, event, mark, windowMs, now)
		: withStep(next, event, { step, mark: mark.mark }, now);
}

/** Where the letter stands; null before its first change. */
export function statusOf({ changes }: LetterRecord): string | null {
	return changes.at(-1)?.step ?? null;
}

/** Adds what was not known, and replaces nothing. */
export function withDetails(record: LetterRecord, details: Watch | NewEvent): LetterRecord {
	return {
		...record,
		messageType: record.messageType ?? details.messageType ?? null,
		fileReference: record.fileReference ?? details.fileReference ?? null,
		customerReference: record.customerReference ?? details.customerReference ?? null,
	};
}

/** The record of a letter that somebody asks to watch, perhaps again: removes nothing that is known. */
export function watched(record: LetterRecord | null, request: Watch, now: number): LetterRecord {
	const known = record ?? NOTHING_KNOWN;
	const { messageType, fileReference, customerReference } = request;
	const told = {
		...known,
		messageType: messageType ?? known.messageType,
		fileReference: fileReference ?? known.fileReference,
		customerReference: customerReference ?? known.customerReference,
	};
	// After the final status nothing changes; a watch that ended otherwise starts again.
	const goesOn = known.watch?.endReason === null || known.watch?.endReason === 'final';
	if (goesOn) return told;
	const last = { polledAt: known.watch?.polledAt ?? null, polled: known.watch?.polled ?? null };
	const fresh = { failures: 0, notFound: null, problem: null, endReason: null };
	return { ...told, watch: { createdAt: now, ...last, ...fresh } };
}

/** A record without anything but what recognises a repeated event. */
export function reduced(record: LetterRecord): LetterRecord {
	return { ...NOTHING_KNOWN, changes: record.changes, others: record.others };
}

/** Whether an answer to what was asked at that record is old by now. */
export function hasChanged(asked: LetterRecord, record: LetterRecord): boolean {
	return JSON.stringify(asked) !== JSON.stringify(record);
}

/** Whether a poll is needed to learn of steps that the letter must have gone through. */
export function hasGaps(record: LetterRecord): boolean {
	const status = statusOf(record);
	return status !== null && missingSteps(record, status, record.messageType).length > 0;
}

function withOther(
	record: LetterRecord,
	event: NewEvent,
	{ mark, byContent }: Mark,
	windowMs: number,
	now: number,
): Observed {
	// A clock that was set back makes it no longer.
	const counts = (until: number) => until > now && until <= now + windowMs;
	const present = record.others.filter(({ until }) => until === null || counts(until));
	if (present.some((other) => isSameMark(other.mark, mark))) return { record, events: [] };
	const others = [...present, { mark, until: byContent ? now + windowMs : null }];
	return { record: { ...record, others: others.slice(-OTHERS_KEPT) }, events: [event] };
}

/** A webhook that reports a step. */
function withStep(
	record: LetterRecord,
	event: NewEvent,
	report: { step: string; mark: string },
	now: number,
): Observed {
	const { changes } = record;
	const { step, mark } = report;
	if (changes.some((_, place) => isRepeat(changes, place, report))) return { record, events: [] };
	const time = ownTime(changes, step, timeIn(mark));
	const seen = changes.findIndex((change, place) => {
		return change.step === step && change.mark === null && wasThen(changes, place, time);
	});
	if (seen !== -1) {
		// A poll has told of it.
		const confirmed = { ...(changes[seen] as Change), mark };
		const later = firstAfter(changes, time);
		const place = later === -1 ? seen : Math.min(seen, later);
		const others = changes.toSpliced(seen, 1);
		const next = { ...record, changes: others.toSpliced(place, 0, confirmed) };
		return { record: endedIfOver(next), events: [] };
	}
	const change: Change = { type: event.type, step, at: now, by: 'webhook', mark };
	return { record: endedIfOver(withChange(record, change, time)), events: [event] };
}

/**
 * Whether a webhook has come before: the same one, of the same round. A second delivery may look just
 * like the first, and begins with the bounce between the two (rule STAT-05).
 */
function isRepeat(
	changes: readonly Change[],
	place: number,
	{ step, mark }: { step: string; mark: string },
): boolean {
	const change = changes[place] as Change;
	const isSame = change.step === step && change.mark !== null && isSameMark(change.mark, mark);
	if (!isSame) return false;
	const time = timeIn(mark);
	return !changes.slice(place + 1).some((other) => {
		if (!undoes(other.step, step)) return false;
		if (time === null) return true;
		// With times of their own, the two would differ.
		const otherTime = anyTime(other);
		return otherTime === null ? isDayOnly(time) : otherTime === time;
	});
}

/**
 * Whether a change that a poll saw may have been at that time of the service's. A webhook without a
 * time counts as a later change, rather than be lost.
 */
function wasThen(changes: readonly Change[], place: number, time: string | null): boolean {
	const { step } = changes[place] as Change;
	const next = changes.slice(place + 1).find((other) => undoes(other.step, step));
	if (time === null) return next === undefined;
	const until = next && timeOf(changes, next);
	if (until && time >= until) return false;
	const previous = changes.slice(0, place).findLast((other) => undoes(other.step, step));
	// Which webhook belongs to what a poll saw is not as sure as that the poll came after a webhook.
	const from = previous?.by === 'webhook' ? timeOf(changes, previous) : null;
	return from === null || time >= from;
}

/** Adds a change where it belongs: by the service's times, then by the table, else as the latest. */
function withChange(record: LetterRecord, change: Change, time: string | null): LetterRecord {
	const { changes } = record;
	const { step } = change;
	const status = statusOf(record);
	const first = firstAfter(changes, time);
	const later = isRoundBefore(changes, first, step) ? first - 1 : first;
	const isBefore = status !== null && comesBefore(step, status);
	const places = [later, isBefore ? changes.length - 1 : -1].filter((place) => place !== -1);
	// Nothing comes before it.
	const place = step === 'SENT' ? 0 : Math.min(...places, changes.length);
	return { ...record, changes: changes.toSpliced(place, 0, change).slice(-CHANGES_KEPT) };
}

/** Whether a step that comes before the change there comes before the one that a poll saw, too. */
function isRoundBefore(changes: readonly Change[], place: number, step: string): boolean {
	const [previous, next] = [changes[place - 1], changes[place]];
	if (previous === undefined || next?.step !== step) return false;
	return undoes(previous.step, step) && timeOf(changes, previous) === null;
}

/** The first change that is later by the service's times; -1 if none is known to be. */
function firstAfter(changes: readonly Change[], time: string | null): number {
	if (time === null) return -1;
	return changes.findIndex((other) => {
		const isLater = other.step !== 'SENT' && (anyTime(other) ?? '') > time;
		return isLater && timeOf(changes, other) !== null;
	});
}

/**
 * A poll may reveal several changes at once: each one that must have happened, by the interface's
 * table of transitions, makes its own event (rules STAT-01 to STAT-06).
 */
function withStatus(
	record: LetterRecord,
	seen: Extract<Observation, { kind: 'status' }>,
	now: number,
): Observed {
	const { asked, status } = seen;
	if (hasChanged(asked, record)) return withOldStatus(record, seen, now);
	const step = status.toUpperCase();
	const known = statusOf(record);
	// No message goes back: polls lag behind webhooks, and a failed message may keep its status.
	const current = known !== null && comesBefore(step, known) ? known : step;
	const type = record.messageType ?? likelyType(record, seen);
	const steps = missingSteps(record, current, type);
	if (!isKnown(record, step)) steps.push(status);
	const { record: changed, events } = withSteps(record, steps, type, seen, now);
	const polled = { polledAt: now, polled: step, failures: 0, notFound: null, problem: null };
	const next = { ...changed, watch: changed.watch && { ...changed.watch, ...polled } };
	const isFinal = kindOfStatus(current, type)?.terminal === true;
	return { record: isFinal ? ended(next) : next, events };
}

/**
 * A status that was asked for before the record last changed does not say where the letter stands. A
 * step that neither the record had then nor anything has told of since did happen, though.
 */
function withOldStatus(
	record: LetterRecord,
	seen: Extract<Observation, { kind: 'status' }>,
	now: number,
): Observed {
	const step = seen.status.toUpperCase();
	const status = statusOf(record);
	const count = ({ changes }: LetterRecord) => changes.filter((one) => one.step === step).length;
	const isTold = isKnown(seen.asked, step) || count(record) > count(seen.asked);
	if (isTold || (status !== null && comesBefore(step, status))) return { record, events: [] };
	const type = record.messageType ?? likelyType(record, seen);
	const kind = kindOfStatus(seen.status, type);
	if (kind === null) return { record, events: [] };
	const change: Change = { type: kind.type, step, at: now, by: 'poll', mark: null };
	const isLater = status === null || comesBefore(status, step);
	const place = isLater ? record.changes.length : record.changes.length - 1;
	const changes = record.changes.toSpliced(place, 0, change);
	return { record: { ...record, changes }, events: [eventOf(record, kind, seen, now)] };
}

function withSteps(
	record: LetterRecord,
	steps: readonly string[],
	type: MessageType | null,
	seen: Extract<Observation, { kind: 'status' }>,
	now: number,
): Observed {
	let next = record;
	const events: NewEvent[] = [];
	for (const name of steps) {
		const kind = kindOfStatus(name, type);
		if (kind === null) continue;
		const step = name.toUpperCase();
		const change: Change = { type: kind.type, step, at: now, by: 'poll', mark: null };
		next = withChange(next, change, null);
		events.push(eventOf(record, kind, seen, now));
	}
	return { record: next, events };
}

/** Whether a poll that sees a step sees nothing new. */
function isKnown(record: LetterRecord, step: string): boolean {
	const { changes, watch } = record;
	const status = statusOf(record);
	if (status !== null && comesBefore(step, status)) return true;
	const last = changes.findLastIndex((change) => change.step === step);
	if (last === -1) return false;
	if (changes.slice(last + 1).some((other) => undoes(other.step, step))) return false;
	// What the table does not have may come and go.
	return kindOfStatus(step, null)?.type !== 'unknown' || watch?.polled === step;
}

/**
 * Steps a letter must have gone through to reach a step, by the interface's table of transitions, that
 * neither a webhook nor a poll has reported yet.
 */
function missingSteps(
	{ changes }: LetterRecord,
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

/** Of sent messages only tracked mail leaves no evidence at all (rule AES-04). */
function likelyType(
	{ changes }: LetterRecord,
	{ status, evidences }: Extract<Observation, { kind: 'status' }>,
): 'AES' | null {
	if (evidences.length > 0) return null;
	const step = status.toUpperCase();
	const isSent = step === 'SENT' || impliesSent(step);
	const wasTracked = changes.some(({ type }) => type.startsWith('tracked_mail.'));
	return isSent || wasTracked ? 'AES' : null;
}

function eventOf(
	{ messageType, fileReference, customerReference }: LetterRecord,
	kind: EventKind,
	{ messageId, status, evidences }: Extract<Observation, { kind: 'status' }>,
	now: number,
): NewEvent {
	return {
		...kind,
		sourceType: WATCHED_SOURCE,
		messageId,
		messageType,
		// A status has no time.
		occurredAt: null,
		receivedAt: new Date(now).toISOString(),
		fileReference,
		customerReference,
		traceparent: null,
		raw: { id: messageId, status, evidences },
	};
}

/** After the last step, unless a poll is needed to learn of others. */
function endedIfOver(record: LetterRecord): LetterRecord {
	const kind = kindOfStatus(statusOf(record) ?? '', record.messageType);
	return kind?.terminal === true && !hasGaps(record) ? ended(record) : record;
}

/** Nothing more will come. A watch that ended for another reason keeps that reason. */
function ended(record: LetterRecord): LetterRecord {
	const { watch } = record;
	return watch?.endReason === null
		? { ...record, watch: { ...watch, endReason: 'final' } }
		: record;
}

/** The service's time of a change, or null if none of its webhooks had one of its own. */
function timeOf(changes: readonly Change[], change: Change): string | null {
	return ownTime(changes, change.step, anyTime(change));
}

/**
 * Null for what is not the time of one change: a date alone, which orders nothing within its day, or a
 * time that another step has too, since then it is the message's.
 */
function ownTime(changes: readonly Change[], step: string, time: string | null): string | null {
	if (time === null || isDayOnly(time)) return null;
	const isShared = changes.some((other) => other.step !== step && anyTime(other) === time);
	return isShared ? null : time;
}

function anyTime({ mark }: Change): string | null {
	return mark === null ? null : timeIn(mark);
}
