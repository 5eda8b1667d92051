import { consentPath } from '../consents/consent-reply.ts';
import type { Mail } from '../world/model.ts';
import type { World } from '../world/world.ts';
import { consentCard } from './consent-card.ts';
import { customerCard } from './customer-card.ts';
import type { Html } from './html.ts';
import { messageCard } from './message-card.ts';

const SHOWN = 100;

/** Everything that produced a mail or a link, newest first. */
export function feed(world: World): Html[] {
	const { messages, customers, consents, mails } = world.store;
	const mailsBy = (key: 'messageId' | 'customerId' | 'consentId') => {
		const found = Map.groupBy(mails, (mail) => mail[key]);
		return (id: string): Mail[] => found.get(id) ?? [];
	};
	const [ofMessage, ofCustomer, ofConsent] = [
		mailsBy('messageId'),
		mailsBy('customerId'),
		mailsBy('consentId'),
	];
	const things = [
		...[...messages.values()].map((message) => ({
			at: message.createdAt,
			card: () => {
				const customer = message.sender === null ? null : customers.get(message.sender);
				const sender = { name: world.store.senderName(message), customer: customer ?? null };
				return messageCard(message, ofMessage(message.id), sender);
			},
		})),
		...[...customers.values()]
			.filter(({ id }) => ofCustomer(id).length > 0)
			.map((customer) => ({
				at: customer.createdAt,
				card: () => {
					const reseller = world.store.account(customer.accountId)?.company ?? 'unknown';
					return customerCard(customer, ofCustomer(customer.id), reseller);
				},
			})),
		...[...consents.values()].map((consent) => ({
			at: consent.createdAt,
			card: () => {
				const link = world.serviceUrl() + consentPath(world, consent);
				const sender = world.store.senderName(consent);
				return consentCard(consent, ofConsent(consent.id), sender, link);
			},
		})),
	];
	// The sort is stable, so the last of a request comes first.
	return things
		.sort((a, b) => a.at - b.at)
		.slice(-SHOWN)
		.reverse()
		.map(({ card }) => card());
}
