import { consentPath } from '../consents/consent-reply.ts';
import { hasText, messageTexts } from '../journal/filters.ts';
import { pageOf } from '../journal/page-of.ts';
import type { Mail } from '../world/model.ts';
import type { World } from '../world/world.ts';
import { consentCard } from './consent-card.ts';
import { customerCard } from './customer-card.ts';
import type { Html } from './html.ts';
import { messageCard } from './message-card.ts';

const SHOWN = 100;

interface Feed {
	cards: Html[];
	/** Number of all that match. */
	total: number;
	/** What comes before the next page, or null if this is the last. */
	next: string | null;
}

/** Everything that produced a mail or a link, newest first, by what is searched in it. */
export function feed(world: World, { text, before }: { text?: string; before?: string }): Feed {
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
			key: message.id,
			at: message.createdAt,
			texts: () => messageTexts(message),
			card: () => {
				const customer = message.sender === null ? null : customers.get(message.sender);
				const sender = { name: world.store.senderName(message), customer: customer ?? null };
				return messageCard(message, ofMessage(message.id), sender);
			},
		})),
		...[...customers.values()]
			.filter(({ id }) => ofCustomer(id).length > 0)
			.map((customer) => ({
				key: customer.id,
				at: customer.createdAt,
				texts: () => [customer.id, customer.name, customer.email],
				card: () => {
					const reseller = world.store.account(customer.accountId)?.company ?? 'unknown';
					return customerCard(customer, ofCustomer(customer.id), reseller);
				},
			})),
		...[...consents.values()].map((consent) => ({
			key: consent.id,
			at: consent.createdAt,
			texts: () => [consent.id, ...Object.values(consent.contact).map((value) => value ?? '')],
			card: () => {
				const link = world.serviceUrl() + consentPath(world, consent);
				const sender = world.store.senderName(consent);
				return consentCard(consent, ofConsent(consent.id), sender, link);
			},
		})),
	];
	// The sort is stable, so the last of a request comes first.
	things.sort((a, b) => a.at - b.at);
	const from =
		before === undefined ? {} : { before: things.findIndex(({ key }) => key === before) };
	const page = pageOf(things, ({ texts }) => hasText(text, texts), { limit: SHOWN, ...from });
	return {
		cards: page.found.map(({ card }) => card()),
		total: page.total,
		next: page.hasOlder ? (page.found.at(-1)?.key ?? null) : null,
	};
}
