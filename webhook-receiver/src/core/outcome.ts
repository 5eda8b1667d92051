import type { DeliveryEvent, MessageType } from './event-contract.ts';
import { kindOfState } from './event-kinds.ts';
import { isTrackedMail } from './statuses.ts';
import type { AwaitedOutcome, Outcome, TrackedMailGoal } from './wait-contract.ts';

/** What is known about one message or consent of a wait; stored as JSON. */
export interface Progress {
	/** Set once later events no longer count. */
	final: Exclude<Outcome, 'none' | 'undelivered'> | null;
	status: string | null;
	occurredAt: string | null;
	event: string | null;
	eventId: string | null;
	/** Orders events: their time in milliseconds, then their sequence. */
	at: number;
	sequence: number;
}

/** Final, without any of what was known. */
export const ERASED: Progress = {
	final: 'erased',
	status: null,
	occurredAt: null,
	event: null,
	eventId: null,
	at: 0,
	sequence: 0,
};

/** What the waiting node asked for. */
export interface Expectation {
	messageType: MessageType | null;
	trackedMailGoal: TrackedMailGoal;
}

/**
 * What is known after one more event. Events may be late, repeated or in any order: what is final
 * stays, otherwise the latest counts, so an e-mail that bounced and arrived after all has arrived
 * (rule STAT-05).
 */
export function advance(
	progress: Progress | null,
	event: DeliveryEvent,
	expected: Expectation,
): Progress | null {
	const next = read(event, expected);
	if (next === null) return progress;
	if (progress === null) return next;
	if ((progress.final === null) !== (next.final === null)) {
		return progress.final === null ? next : progress;
	}
	// Of two final ones the first counts, of two others the last.
	const order = next.at - progress.at || next.sequence - progress.sequence;
	return order < 0 === (next.final !== null) ? next : progress;
}

/** A consent as the service lists it. */
export interface ListedConsent {
	state: string;
	/** When it was seen to change, and the event of that; null if it was so at the first look. */
	changedAt: number | null;
	eventId: string | null;
}

/**
 * What is known of a consent by what is listed: itself, and newer consents of the same contact,
 * oldest first. The contact's first answer counts, whichever request it answers: the service lists
 * only the newest, so an older one shows none any more (rule CONS-07).
 */
export function answeredBy(listed: readonly ListedConsent[]): Progress | null {
	const all = listed.map(readConsent);
	return all.find(({ final }) => final !== null) ?? all.at(-1) ?? null;
}

function readConsent({ state, changedAt, eventId }: ListedConsent): Progress {
	const kind = kindOfState('consents', state);
	return {
		final: CONSENT_OUTCOMES.find((outcome) => kind?.type === `consent.${outcome}`) ?? null,
		status: kind?.status ?? state,
		occurredAt: changedAt === null ? null : new Date(changedAt).toISOString(),
		event: kind?.type ?? null,
		eventId,
		at: changedAt ?? 0,
		sequence: 0,
	};
}

const CONSENT_OUTCOMES = ['accepted', 'refused'] as const;

/** The outcome so far; mail still undelivered at the deadline gets that outcome. */
export function outcomeOf(id: string, progress: Progress | null): AwaitedOutcome {
	return {
		id,
		outcome: progress?.final ?? (progress?.status === 'UNDELIVERED' ? 'undelivered' : 'none'),
		status: progress?.status ?? null,
		occurredAt: progress?.occurredAt ?? null,
		event: progress?.event ?? null,
		eventId: progress?.eventId ?? null,
	};
}

/** Null for an event that does not say where the message stands. */
function read(event: DeliveryEvent, expected: Expectation): Progress | null {
	const final = finalOutcome(event, expected);
	if (final === null && event.status === null) return null;
	const occurredAt = event.occurredAt ?? event.receivedAt;
	return {
		final,
		status: event.status,
		occurredAt,
		event: event.type,
		eventId: event.id,
		at: Date.parse(occurredAt),
		sequence: event.sequence,
	};
}

/** For these, a status of the same name is the outcome. */
const BY_NAME = ['accepted', 'refused', 'opened', 'expired'] as const;

/**
 * Rules STAT-01 to STAT-07, SCHD-04. RECEIVED ends an LS or AS, which have been opened by then. For
 * tracked mail it means that the e-mail arrived, which is final only if the node does not wait for more.
 * For an LRE the decision is still to come. If the type is unknown RECEIVED is not final: waiting
 * on can be corrected at the deadline, ending the wait cannot.
 */
function finalOutcome(event: DeliveryEvent, expected: Expectation): Progress['final'] {
	const { type, status, terminal } = event;
	if (type === 'tracked_mail.failed' || type === 'lre.failed') return 'failed';
	if (status === 'RECEIVED') {
		const messageType = event.messageType ?? expected.messageType;
		if (messageType === 'LS' || messageType === 'AS') return 'received';
		const isDone = isTrackedMail(messageType) && expected.trackedMailGoal === 'received';
		return isDone ? 'received' : null;
	}
	const named = BY_NAME.find((outcome) => outcome.toUpperCase() === status);
	// Cancelled, or ended by a status of unknown name: nothing more will come.
	return named ?? (terminal ? 'failed' : null);
}
