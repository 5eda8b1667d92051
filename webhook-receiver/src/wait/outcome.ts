import type { DeliveryEvent, MessageType } from '../contract.ts';
import { isTrackedMail } from '../event-kinds.ts';
import type { MessageOutcome, Outcome, TrackedMailGoal, WaitMessage } from './wait-contract.ts';

/** What is known of a message of a wait; kept as JSON. */
export interface Progress {
	/** Set once nothing that may follow counts any more. */
	final: Exclude<Outcome, 'none' | 'undelivered'> | null;
	status: string | null;
	occurredAt: string | null;
	event: string;
	eventId: string;
	/** Orders what happened: its time in milliseconds, then the event's sequence. */
	at: number;
	sequence: number;
}

/** What the waiting node asked for. */
export interface Expectation {
	messageType: MessageType | null;
	trackedMailGoal: TrackedMailGoal;
}

/**
 * What is known after one more event. Events may come late, in any order and more than once: what is
 * final stays, else the latest word counts, so that an e-mail that bounced and arrived after all has
 * arrived (rule STAT-05).
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
	// Of two that are final the first counts, of two that are not the last.
	const order = next.at - progress.at || next.sequence - progress.sequence;
	return order < 0 === (next.final !== null) ? next : progress;
}

/** The outcome so far; at the deadline a mail that is still undelivered is called so. */
export function outcomeOf(
	{ messageId }: Pick<WaitMessage, 'messageId'>,
	progress: Progress | null,
): MessageOutcome {
	return {
		messageId,
		outcome: progress?.final ?? (progress?.status === 'UNDELIVERED' ? 'undelivered' : 'none'),
		status: progress?.status ?? null,
		occurredAt: progress?.occurredAt ?? null,
		event: progress?.event ?? null,
		eventId: progress?.eventId ?? null,
	};
}

/** Null for an event that says nothing of where the message stands. */
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

const FINAL: Record<string, Progress['final']> = {
	ACCEPTED: 'accepted',
	REFUSED: 'refused',
	OPENED: 'opened',
	EXPIRED: 'expired',
};

/**
 * Rules STAT-01 to STAT-07, SCHD-04. RECEIVED ends an LS or AS, which have been opened then; of
 * tracked mail it says that the e-mail arrived, which is as much as one wants to know only if one said
 * so; of an LRE that the decision is still to come. Where the type is not known RECEIVED is no end: to
 * wait on can be made good at the deadline, to go on cannot.
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
	const known = status !== null && Object.hasOwn(FINAL, status) ? FINAL[status] : null;
	// Cancelled, or ended by a status whose name we do not know: nothing more will come.
	return known ?? (terminal ? 'failed' : null);
}
