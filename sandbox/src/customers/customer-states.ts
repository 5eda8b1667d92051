import type { CustomerState } from '../world/model.ts';

export const DELEGATION_ANSWERS = ['accept', 'refuse', 'revoke', 'cancel'] as const;
export type DelegationAnswer = (typeof DELEGATION_ANSWERS)[number];

/** The interface shows no transitions; these follow from the states (section Customer state). */
const ANSWERS: Record<DelegationAnswer, { from: CustomerState[]; to: CustomerState }> = {
	accept: { from: ['PENDING'], to: 'ACCEPTED' },
	refuse: { from: ['PENDING'], to: 'REFUSED' },
	revoke: { from: ['ACCEPTED'], to: 'REVOKED' },
	cancel: { from: ['PENDING', 'ACCEPTED'], to: 'CANCELLED' },
};

/** The state an answer leads to, or null if it is not allowed now. */
export function nextCustomerState(
	state: CustomerState,
	answer: DelegationAnswer,
): CustomerState | null {
	const { from, to } = ANSWERS[answer];
	return from.includes(state) ? to : null;
}
