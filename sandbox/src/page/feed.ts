import { consentPath } from '../consents/consent-reply.ts';
import type { Mail } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { consentCard } from './consent-card.ts';
import { customerCard } from './customer-card.ts';
import type { Html } from '../html/html.ts';
import { listed, partOf, type Listed, type Part, type View } from './listing.ts';
import { messageCard } from './message-card.ts';

const SHOWN = 100;

/** The cards that a view shows, newest first. */
export function feed(world: World, view: View): Part<Listed> & { cards: Html[] } {
	const { store } = world;
	const part = partOf(() => listed(store, view.search), view, SHOWN);
	const shown = new Set(part.shown.map(({ id }) => id));
	// One pass over all mails, which are many more than the cards.
	const mails = Map.groupBy(
		[...store.mails.values()].filter((mail) => shown.has(subjectOf(mail))),
		subjectOf,
	);
	const cards = part.shown.map((one) => cardOf(world, one, mails.get(one.id) ?? []));
	return { ...part, cards };
}

/** What a mail is about. */
const subjectOf = ({ messageId, customerId, consentId }: Mail): string =>
	messageId ?? customerId ?? consentId ?? '';

function cardOf(world: World, { kind, thing }: Listed, mails: Mail[]): Html {
	const { store } = world;
	if (kind === 'customer') {
		return customerCard(thing, mails, store.accounts.get(thing.accountId)?.company ?? 'unknown');
	}
	const name = store.senderName(thing);
	if (kind === 'consent') {
		return consentCard(thing, mails, name, consentPath(world, thing));
	}
	const customer = thing.sender === null ? null : (store.customers.get(thing.sender) ?? null);
	return messageCard(thing, mails, { name, customer });
}
