import type { AwaitedOutcome, WaitConsent } from '../../webhook-receiver/src/core/wait-contract';
import type { Consent } from '../shared/consents/newest';
import { ownOutcome } from '../shared/waiting/outputs';

/** A consent to wait for, and whose it is. */
export type ConsentToAwait = Required<WaitConsent>;

/** What to do about a contact, given its newest consent. */
export type Decision =
	/** The contact has answered: nothing to wait for. */
	| { known: AwaitedOutcome }
	/** The contact was asked, and has not answered. */
	| { awaited: ConsentToAwait }
	/** The contact needs to be asked. */
	| 'ask';

/**
 * Decides what to do about a contact. Nobody is asked twice: an answer counts, and an earlier request is
 * awaited however it was made. A state that the interface does not list is not an answer, so the contact is
 * asked.
 */
export function decideForContact(newest: Consent | null, asksAgain: boolean): Decision {
	if (newest === null) return 'ask';
	const { id, state, contact } = newest;
	if (state === 'PENDING') return { awaited: { consentId: id, contact } };
	if (state === 'REFUSED' && asksAgain) return 'ask';
	const known = answerOf(newest);
	return known === null ? 'ask' : { known };
}

/** Decides what to do about an earlier request; in an unknown state, its answer is awaited. */
export function decideForRequest(consent: Consent): Exclude<Decision, 'ask'> {
	const known = answerOf(consent);
	const { id: consentId, contact } = consent;
	return known === null ? { awaited: { consentId, contact } } : { known };
}

function answerOf({ id, state }: Consent): AwaitedOutcome | null {
	if (state === 'ACCEPTED') return ownOutcome(id, 'accepted', state);
	if (state === 'REFUSED') return ownOutcome(id, 'refused', state);
	return null;
}
