import { delegationChoices, nextCustomerState } from '../customers/delegation-reply.ts';
import type { Customer, Mail } from '../state/model.ts';
import { action, card, facts, mailFrame, timeline } from './card.ts';
import { choicesOf } from '../html/choices.ts';
import { html, type Html } from '../html/html.ts';

/** A customer's view of the reseller: the delegation mail and the possible answers. */
export function customerCard(customer: Customer, mails: Mail[], reseller: string): Html {
	const { id, name, email, state } = customer;
	const mail = mails.at(-1);
	return card({
		key: id,
		name,
		email,
		status: state,
		mail: html`<p class="subject">${mail?.subject ?? `Customer of ${reseller}`}</p>
			${mail ? mailFrame(`/mails/${mail.id}`, 'Delegation', 'notice-mail') : null}
			${logoImage(customer)} ${delegationButtons(customer)}`,
		aside: html`${timeline(happened(customer))}
		${facts([
			['Customer', id],
			['Of', reseller],
			['Paying', customer.isPaying ? 'yes' : 'no'],
			['Will send LRE', customer.willSendLre ? 'yes' : 'no'],
		])}`,
	});
}

/** The URL changes with the picture, so none goes stale. */
export const logoImage = ({ id, name, logo }: Customer): Html =>
	logo ? html`<img class="logo" src="/logos/${id}/${logo.id}" alt="Logo of ${name}" />` : html``;

export const delegationButtons = (customer: Customer): Html =>
	html`${choicesOf(delegationChoices(customer), ({ answer, label }) =>
		action(`/customers/${customer.id}/${answer}`, label),
	)}
	${nextCustomerState(customer.state, 'cancel')
		? html`<p>${action(`/customers/${customer.id}/cancel`, 'Cancel')} as the reseller would</p>`
		: null}`;

function happened({ createdAt, updatedAt, state }: Customer) {
	const asked = { at: createdAt, text: 'Asked for the delegation', status: 'pending' };
	if (state === 'PENDING') return [asked];
	return [asked, { at: updatedAt, text: ANSWERED[state], status: state }];
}

const ANSWERED: Record<Customer['state'], string> = {
	PENDING: 'Waiting',
	ACCEPTED: 'Accepted',
	REFUSED: 'Refused',
	REVOKED: 'Revoked',
	CANCELLED: 'Cancelled',
};
