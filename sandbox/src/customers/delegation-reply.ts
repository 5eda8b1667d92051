import type { Router } from 'express';
import { replyRoutes } from '../html/reply-routes.ts';
import { badge } from '../html/badge.ts';
import type { Choice } from '../html/choices.ts';
import { html } from '../html/html.ts';
import { linkTo, postMail } from '../delivery/mails.ts';
import type { Customer, CustomerState } from '../state/model.ts';
import { replyPath } from '../state/signed-links.ts';
import type { World } from '../world/world.ts';

export const DELEGATION_ANSWERS = ['accept', 'refuse', 'revoke', 'cancel'] as const;
type DelegationAnswer = (typeof DELEGATION_ANSWERS)[number];

/** The interface shows no transitions; these follow from the states (section Customer state). */
const TRANSITIONS: Record<DelegationAnswer, { from: CustomerState[]; to: CustomerState }> = {
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
	const { from, to } = TRANSITIONS[answer];
	return from.includes(state) ? to : null;
}

/** Posts the mail that asks a customer for the delegation (rule CUST-01). */
export function askForDelegation(world: World, customer: Customer, reseller: string): void {
	const path = replyPath(world.links, 'customers', customer);
	postMail(world, {
		customerId: customer.id,
		to: customer.email,
		subject: `${reseller} asks to send letters on your behalf`,
		html: html`<p>Dear ${customer.name},</p>
			<p>${reseller} asks to send registered mail in your name. Accept or refuse it.</p>
			${linkTo(path, 'Answer')}`.text,
	});
}

/** What the customer can answer now; to cancel is the reseller's. */
export const delegationChoices = ({ state }: Customer): Array<Choice<DelegationAnswer>> =>
	CHOICES.filter(({ answer }) => nextCustomerState(state, answer));

const CHOICES: Array<Choice<DelegationAnswer>> = [
	{ answer: 'accept', label: 'Accept', follows: 'Registered mail is sent in your name.' },
	{ answer: 'refuse', label: 'Refuse', follows: 'Nothing is sent in your name.' },
	{ answer: 'revoke', label: 'Revoke', follows: 'Nothing more is sent in your name.' },
];

/** The page behind the link in a delegation's mail (rule CUST-01). */
export const delegationReplyRoutes = (world: World): Router =>
	replyRoutes(world, {
		under: 'customers',
		find: (id) => world.store.customers.get(id),
		title: () => 'Letters on your behalf',
		content: ({ name, accountId, state }) =>
			html`<p>
					Dear ${name}, ${world.store.accounts.get(accountId)?.company ?? 'a reseller'} asks to send
					registered mail in your name.
				</p>
				<p>Your answer so far: ${badge(state)}</p>`,
		choices: delegationChoices,
		give: (customer, answer) => void answerDelegation(world, customer, answer),
	});

/** Records what became of the delegation; false if that is not possible now. */
export function answerDelegation(
	{ store, clock }: World,
	customer: Customer,
	answer: DelegationAnswer,
): boolean {
	const state = nextCustomerState(customer.state, answer);
	if (!state) return false;
	customer.state = state;
	customer.updatedAt = clock.now();
	store.put('customers', customer);
	return true;
}
