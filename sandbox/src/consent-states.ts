import type { ConsentState } from './model.ts';

export const CONSENT_ANSWERS = ['accept', 'refuse'] as const;
export type ConsentAnswer = (typeof CONSENT_ANSWERS)[number];

/** Transitions are not shown: a pending consent is answered once. */
export function nextConsentState(state: ConsentState, answer: ConsentAnswer): ConsentState | null {
	if (state !== 'PENDING') return null;
	return answer === 'accept' ? 'ACCEPTED' : 'REFUSED';
}
