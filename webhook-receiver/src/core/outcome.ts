import type { Change } from './changes.ts';
import type { MessageType } from './event-contract.ts';
import { timeIn } from './mark.ts';
import { isLast, isTrackedMail } from './statuses.ts';
import type { AwaitedOutcome, Outcome, TrackedMailGoal } from './wait-contract.ts';

/** What is known of one message or consent of a wait; stored as JSON. */
export type KnownOutcome = Omit<AwaitedOutcome, 'id'>;

/** What the waiting node asked for, of a message whose type may be known by now. */
export interface Expectation {
	messageType: MessageType | null;
	trackedMailGoal: TrackedMailGoal;
}

export const NO_OUTCOME: KnownOutcome = {
	outcome: 'none',
	status: null,
	occurredAt: null,
	event: null,
	eventId: null,
};

/** Final, without any of what was known. */
export const ERASED: KnownOutcome = { ...NO_OUTCOME, outcome: 'erased' };

/**
 * What the changes of a record mean to who waits: what is final stays, otherwise the last counts, so an
 * e-mail that bounced and arrived after all has arrived (rule STAT-05), and mail still undelivered at the
 * deadline has that outcome.
 *
 * @param expected null for a consent
 */
export function outcomeOf(
	changes: readonly Change[],
	expected: Expectation | null,
): { outcome: KnownOutcome; isFinal: boolean } {
	const isFinal = (change: Change) => finalOf(change, expected) !== null;
	const change = changes.find(isFinal) ?? changes.at(-1);
	if (change === undefined) return { outcome: NO_OUTCOME, isFinal: false };
	const { step, type, eventId } = change;
	const final = finalOf(change, expected);
	return {
		outcome: {
			outcome: final ?? (step === 'UNDELIVERED' ? 'undelivered' : 'none'),
			status: step === 'FAILED' ? null : step,
			occurredAt: timeOf(change),
			event: type,
			eventId,
		},
		isFinal: final !== null,
	};
}

/** The service's time if it gave one, else when the receiver saw it happen. */
function timeOf({ mark, at, eventId }: Change): string | null {
	const time = mark === null ? null : timeIn(mark);
	return time ?? (eventId === null ? null : new Date(at).toISOString());
}

const CONSENT_OUTCOMES = ['accepted', 'refused'] as const;

/** For these, a status of the same name is the outcome. */
const BY_NAME = ['accepted', 'refused', 'opened', 'expired'] as const;

/**
 * Rules STAT-01 to STAT-07, SCHD-04. RECEIVED ends an LS or AS, which have been opened by then. For
 * tracked mail it means that the e-mail arrived, which is final only if the node does not wait for more.
 * For an LRE the decision is still to come. If the type is unknown RECEIVED is not final: waiting
 * on can be corrected at the deadline, ending the wait cannot.
 */
function finalOf({ type, step }: Change, expected: Expectation | null): Outcome | null {
	if (expected === null) return CONSENT_OUTCOMES.find((one) => type === `consent.${one}`) ?? null;
	if (step === 'RECEIVED') {
		const { messageType, trackedMailGoal } = expected;
		if (messageType === 'LS' || messageType === 'AS') return 'received';
		return isTrackedMail(messageType) && trackedMailGoal === 'received' ? 'received' : null;
	}
	const named = BY_NAME.find((outcome) => outcome.toUpperCase() === step);
	// It failed or was cancelled: nothing more will come.
	return named ?? (isLast(step) ? 'failed' : null);
}
