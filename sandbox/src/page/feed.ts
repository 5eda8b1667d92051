import type { Html } from '../html/html.ts';
import { contactName } from '../html/readable.ts';
import { hasText } from '../journal/filters.ts';
import type { Consent, Customer, Mail, Message } from '../state/model.ts';
import { replyPath } from '../state/signed-links.ts';
import type { Store } from '../state/store.ts';
import type { World } from '../world/world.ts';
import { consentCard } from './consent-card.ts';
import { customerCard } from './customer-card.ts';
import { messageCard } from './message-card.ts';

const SHOWN = 100;

/** What the mails page shows: everything that matches, and where in it the reader is. */
export interface View {
	/** Words that must all be there; empty for everything. */
	search: string;
	/** Shows what is older than the thing of this id; the newest, if there is none. */
	before: string | undefined;
}

/**
 * The cards that a view shows, newest first, and where the next begins, or null. That hangs on a thing,
 * not on a number, so that it stays where it is while new ones arrive.
 */
export function feed(
	world: World,
	{ search, before }: View,
): { cards: Html[]; next: string | null } {
	const { store } = world;
	const shown: Listed[] = [];
	let isPast = before === undefined;
	let hasMore = false;
	for (const one of listed(store, search)) {
		hasMore = shown.length === SHOWN;
		if (hasMore) break;
		if (isPast) shown.push(one);
		else isPast = one.id === before;
	}
	if (!isPast) return feed(world, { search, before: undefined });
	const ids = new Set(shown.map(({ id }) => id));
	// One pass over all mails, which are many more than the cards.
	const mails = Map.groupBy(
		[...store.mails.values()].filter((mail) => ids.has(subjectOf(mail))),
		subjectOf,
	);
	const cards = shown.map((one) => cardOf(world, one, mails.get(one.id) ?? []));
	return { cards, next: hasMore ? shown.at(-1)!.id : null };
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
		return consentCard(thing, mails, name, replyPath(world.links, 'consents', thing));
	}
	const customer = thing.sender === null ? null : (store.customers.get(thing.sender) ?? null);
	return messageCard(thing, mails, { name, customer });
}

/** Anything that has a card. */
type Listed = { id: string } & (
	| { kind: 'message'; thing: Message }
	| { kind: 'customer'; thing: Customer }
	| { kind: 'consent'; thing: Consent }
);

/** Everything that produced a mail or a link and matches, newest first, no further than is asked for. */
function* listed(
	{ messages, customers, consents, mails }: Store,
	search: string,
): Generator<Listed> {
	const words = search.split(/\s+/).filter(Boolean);
	const subjects = new Map<string, string>();
	if (words.length > 0)
		for (const mail of mails.values()) subjects.set(subjectOf(mail), mail.subject);
	const matches = (next: Listed): boolean => {
		const texts = [...searched(next), subjects.get(next.id) ?? ''];
		return words.every((word) => hasText(word, () => texts));
	};
	const asked = new Set<string | null>();
	for (const { customerId } of mails.values()) asked.add(customerId);
	// Each is in the order of its creation, so merging sorts them without touching what is not shown.
	const sources = [
		{ kind: 'message', things: [...messages.values()] },
		{ kind: 'customer', things: [...customers.values()].filter(({ id }) => asked.has(id)) },
		{ kind: 'consent', things: [...consents.values()] },
	];
	const newestOf = ({ things }: (typeof sources)[number]) => things.at(-1)?.createdAt ?? -1;
	for (;;) {
		const newest = sources.reduce((one, other) => (newestOf(other) >= newestOf(one) ? other : one));
		const thing = newest.things.pop();
		if (!thing) return;
		const next = { kind: newest.kind, id: thing.id, thing } as Listed;
		if (words.length === 0 || matches(next)) yield next;
	}
}

/** What a search looks into, besides the subject of the mail. */
function searched(listed: Listed): string[] {
	if (listed.kind === 'customer') return [listed.id, listed.thing.email, listed.thing.name];
	const { contact } = listed.thing;
	const person = [listed.id, contact.email, contactName(contact)];
	if (listed.kind === 'consent') return person;
	const { fileReference, customerReference } = listed.thing;
	return [...person, fileReference ?? '', customerReference ?? ''];
}
