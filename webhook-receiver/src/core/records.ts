import type { MessageType, WatchView, Watch } from './event-contract.ts';
import { kindOfStatus, stepOf } from './event-kinds.ts';
import type { EventKind } from './event-kinds.ts';
import {
	confirmed,
	isRepeated,
	missingSteps,
	polledEvent,
	seenByPoll,
	withChange,
} from './changes.ts';
import type { Change, NewEvent, NewId, Observed } from './changes.ts';
import type { LetterOutcome, LetterToSend } from './letter-contract.ts';
import { CONTENT_COUNTS_MS, isSameMark } from './mark.ts';
import type { Mark } from './mark.ts';
import { outcomeOf } from './outcome.ts';
import { comesBefore, impliesSent, undoes } from './statuses.ts';

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
	endReason: WatchView['endReason'];
}

/** How a letter was sent, as its claim told. */
export interface Origin {
	/** The key that it was sent under. */
	claim: string;
	state: 'leaving' | 'unknown' | 'sent';
	/** While it leaves, until when its sender is heard of; milliseconds. */
	leaseUntil: number | null;
	/** Why it is unknown. */
	reason: string | null;
	recipient: string | null;
	sender: string | null;
	workflow: { id: string; name: string };
	executionId: string;
}

/** All that is known of a letter; stored as JSON. */
export interface LetterRecord {
	messageType: MessageType | null;
	fileReference: string | null;
	customerReference: string | null;
	/** Null for a letter that others sent. */
	origin: Origin | null;
	/** In the order in which they happened; the last is where the letter stands. */
	changes: Change[];
	/** Events that are no change of status: their marks, and how long a mark counts; null for good. */
	others: Array<{ mark: string; until: number | null }>;
	/** Null unless somebody has asked to watch it. */
	watch: Watching | null;
}

/** What the receiver learned of a letter. */
export type Observation = Webhook | Polled;

interface Webhook {
	kind: 'webhook';
	event: Omit<NewEvent, 'id'>;
	mark: Mark;
}

interface Polled {
	kind: 'status';
	messageId: string;
	status: string;
	evidences: Array<{ eventType: string }>;
}

const OTHERS_KEPT = 50;

const NOTHING_KNOWN: LetterRecord = {
	messageType: null,
	fileReference: null,
	customerReference: null,
	origin: null,
	changes: [],
	others: [],
	watch: null,
};

/**
 * What the receiver knows of a letter after an observation, and the events of what is new in it. Here
 * alone is decided whether two observations are of one change; of consents and customers, which have
 * neither webhooks nor times, `observeListed` decides it.
 */
export function observe(
	record: LetterRecord | null,
	observation: Observation,
	now: number,
	newId: NewId,
): Observed<LetterRecord> {
	const known = record ?? NOTHING_KNOWN;
	if (observation.kind === 'status') return withStatus(known, observation, now, newId);
	const next = { ...known, ...detailsOf(known, observation.event) };
	const step = stepOf(observation.event);
	return step === null
		? withOther(next, observation, now, newId)
		: withStep(next, observation, step, now, newId);
}

/** A letter that is about to be sent. */
export function leaving(
	letter: LetterToSend,
	claim: string,
	at: number,
	leaseUntil: number,
): LetterRecord {
	const { type, fileReference, customerReference, sender, workflow, executionId } = letter;
	const recipient = letter.recipients[at] ?? null;
	const state = 'leaving' as const;
	const how = { claim, state, leaseUntil, reason: null };
	const origin: Origin = { ...how, recipient, sender, workflow, executionId };
	return { ...NOTHING_KNOWN, messageType: type, fileReference, customerReference, origin };
}

/**
 * The record of a letter that was sent, perhaps after its first event.
 *
 * @param begun what its claim told; null if nobody knows of it any more
 */
export function sentAs(record: LetterRecord | null, begun: LetterRecord | null): LetterRecord {
	const known = record ?? NOTHING_KNOWN;
	const before = begun ?? NOTHING_KNOWN;
	const origin: Origin | null = before.origin
		? { ...before.origin, state: 'sent', leaseUntil: null, reason: null }
		: known.origin;
	return { ...known, ...detailsOf(known, before), origin };
}

/** What became of the letter, in the words of the book. */
export function letterOutcomeOf({ origin, changes, messageType }: LetterRecord): LetterOutcome {
	if (origin !== null && origin.state !== 'sent') return origin.state;
	const { outcome } = outcomeOf(changes, { messageType, trackedMailGoal: 'opened' }).outcome;
	return outcome === 'none' ? 'open' : (outcome as LetterOutcome);
}

/** Where the letter stands; null before its first change. */
export function statusOf({ changes }: LetterRecord): string | null {
	return changes.at(-1)?.step ?? null;
}

/** The record of a letter that is to be watched, perhaps again. Removes nothing that is known. */
export function watched(record: LetterRecord | null, request: Watch, now: number): LetterRecord {
	const known = record ?? NOTHING_KNOWN;
	const told = { ...known, ...detailsOf(request, known) };
	// After the final status nothing changes; a watch that ended otherwise starts again.
	const goesOn = known.watch?.endReason === null || known.watch?.endReason === 'final';
	if (goesOn) return told;
	const last = { polledAt: known.watch?.polledAt ?? null, polled: known.watch?.polled ?? null };
	const fresh = { failures: 0, notFound: null, problem: null, endReason: null };
	return { ...told, watch: { createdAt: now, ...last, ...fresh } };
}

/** Whether a poll may still tell something of it. */
export function isWatched({ watch }: Pick<LetterRecord, 'watch'>): boolean {
	return watch?.endReason === null;
}

/** A record without anything but what recognises a repeated event, and says how the letter ended. */
export function reduced({ messageType, changes, others }: LetterRecord): LetterRecord {
	return { ...NOTHING_KNOWN, messageType, changes, others };
}

/** Whether a poll is needed to learn of steps that the letter must have gone through. */
export function hasGaps(record: LetterRecord): boolean {
	const status = statusOf(record);
	return status !== null && missingSteps(record.changes, status, record.messageType).length > 0;
}

type Details = Pick<LetterRecord, 'messageType' | 'fileReference' | 'customerReference'>;

/** What the one says, and the other where that says nothing. */
function detailsOf(one: Partial<Details>, other: Details): Details {
	return {
		messageType: one.messageType ?? other.messageType,
		fileReference: one.fileReference ?? other.fileReference,
		customerReference: one.customerReference ?? other.customerReference,
	};
}

function withOther(
	record: LetterRecord,
	{ event, mark: { mark, byContent } }: Webhook,
	now: number,
	newId: NewId,
): Observed<LetterRecord> {
	// A clock that was set back makes it no longer.
	const counts = (until: number) => until > now && until <= now + CONTENT_COUNTS_MS;
	const present = record.others.filter(({ until }) => until === null || counts(until));
	if (present.some((other) => isSameMark(other.mark, mark))) return { record, events: [] };
	const others = [...present, { mark, until: byContent ? now + CONTENT_COUNTS_MS : null }];
	const next = { ...record, others: others.slice(-OTHERS_KEPT) };
	return { record: next, events: [{ id: newId(now), ...event }] };
}

function withStep(
	record: LetterRecord,
	{ event, mark: { mark } }: Webhook,
	step: string,
	now: number,
	newId: NewId,
): Observed<LetterRecord> {
	const { changes } = record;
	if (isRepeated(changes, step, mark)) return { record, events: [] };
	const seen = seenByPoll(changes, step, mark);
	if (seen !== -1) {
		const next = { ...record, changes: confirmed(changes, seen, mark) };
		return { record: endedIfOver(next), events: [] };
	}
	const id = newId(now);
	const change: Change = { type: event.type, step, at: now, by: 'webhook', mark, eventId: id };
	const next = { ...record, changes: withChange(changes, change) };
	return { record: endedIfOver(next), events: [{ id, ...event }] };
}

/**
 * A poll may reveal several changes at once: each one that must have happened, by the interface's
 * table of transitions, makes its own event (rules STAT-01 to STAT-06).
 */
function withStatus(
	record: LetterRecord,
	seen: Polled,
	now: number,
	newId: NewId,
): Observed<LetterRecord> {
	const { status } = seen;
	const step = status.toUpperCase();
	const known = statusOf(record);
	// No message goes back: polls lag behind webhooks, and a failed message may keep its status.
	const current = known !== null && comesBefore(step, known) ? known : step;
	const type = record.messageType ?? likelyType(record, seen);
	const steps = missingSteps(record.changes, current, type);
	if (!isKnown(record, step)) steps.push(status);
	const { changes, events } = withSteps(record, steps, type, seen, now, newId);
	const polled = { polledAt: now, polled: step, failures: 0, notFound: null, problem: null };
	const next = { ...record, changes, watch: record.watch && { ...record.watch, ...polled } };
	const isFinal = kindOfStatus(current, type)?.terminal === true;
	return { record: isFinal ? ended(next) : next, events };
}

function withSteps(
	record: LetterRecord,
	steps: readonly string[],
	type: MessageType | null,
	seen: Polled,
	now: number,
	newId: NewId,
): Pick<LetterRecord, 'changes'> & Pick<Observed<LetterRecord>, 'events'> {
	let { changes } = record;
	const events: NewEvent[] = [];
	for (const name of steps) {
		const kind = kindOfStatus(name, type);
		if (kind === null) continue;
		const event = eventOf(record, kind, seen, now, newId);
		const { type: eventType, id: eventId } = event;
		const how = { at: now, by: 'poll', mark: null } as const;
		changes = withChange(changes, { type: eventType, step: name.toUpperCase(), eventId, ...how });
		events.push(event);
	}
	return { changes, events };
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

/** Of sent messages only tracked mail leaves no evidence at all (rule AES-04). */
function likelyType({ changes }: LetterRecord, { status, evidences }: Polled): 'AES' | null {
	if (evidences.length > 0) return null;
	const step = status.toUpperCase();
	const isSent = step === 'SENT' || impliesSent(step);
	const wasTracked = changes.some(({ type }) => type?.startsWith('tracked_mail.'));
	return isSent || wasTracked ? 'AES' : null;
}

function eventOf(
	{ messageType, fileReference, customerReference }: LetterRecord,
	kind: EventKind,
	{ messageId, status, evidences }: Polled,
	now: number,
	newId: NewId,
): NewEvent {
	const raw = { id: messageId, status, evidences };
	const about = { messageId, messageType, fileReference, customerReference, raw };
	return polledEvent(kind, about, now, newId);
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
