import type { ConsentState } from '../world/model.ts';

export const CONSENT_ANSWERS = ['accept', 'refuse'] as const;
export type ConsentAnswer = (typeof CONSENT_ANSWERS)[number];

/** The interface does not show the transitions: here a pending consent is answered at most once. */
export function nextConsentState(state: ConsentState, answer: ConsentAnswer): ConsentState | null {
	if (state !== 'PENDING') return null;
	return answer === 'accept' ? 'ACCEPTED' : 'REFUSED';
}
