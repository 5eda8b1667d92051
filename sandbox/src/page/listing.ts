import type { Consent, Customer, Mail, Message } from '../state/model.ts';
import type { Store } from '../state/store.ts';
import { contactName } from '../html/readable.ts';
import { hasText } from '../journal/filters.ts';

/** What the mails page shows: everything that matches, and where in it the reader is. */
export interface View {
	/** Words that must all be there; empty for everything. */
	search: string;
	/** Shows what is just older, or just newer, than the thing of this id; neither: the newest. */
	before: string | null;
	after: string | null;
}

/** Anything that has a card. */
export type Listed = { id: string } & (
	| { kind: 'message'; thing: Message }
	| { kind: 'customer'; thing: Customer }
	| { kind: 'consent'; thing: Consent }
);

/** A part of a list, and whether there is more on either side of it. */
export interface Part<T> {
	shown: T[];
	newer: boolean;
	older: boolean;
}

/** Everything that produced a mail or a link and matches, newest first, no further than is asked for. */
export function* listed(
	{ messages, customers, consents, mails }: Store,
	search: string,
): Generator<Listed> {
	const words = search.split(/\s+/).filter(Boolean);
	const subjects = matchingSubjects([...mails.values()], words);
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

/** Subjects that have one of the words, by what their mail is about. Many mails share few subjects. */
function matchingSubjects(mails: Mail[], words: string[]): Map<string, string> {
	const found = new Map<string, string>();
	if (words.length === 0) return found;
	const seen = new Map<string, boolean>();
	for (const { messageId, customerId, consentId, subject } of mails) {
		let isMatch = seen.get(subject);
		if (isMatch === undefined) {
			isMatch = words.some((word) => hasText(word, () => [subject]));
			seen.set(subject, isMatch);
		}
		if (isMatch) found.set(messageId ?? customerId ?? consentId ?? '', subject);
	}
	return found;
}

/**
 * The part of a list that a reader is at. It hangs on an entry, not on a number, so that it stays
 * where it is while new entries arrive. An entry that is gone leads to the newest.
 */
export function partOf<T extends { id: string }>(
	newestFirst: () => Iterable<T>,
	{ before, after }: Omit<View, 'search'>,
	size: number,
): Part<T> {
	if (after !== null) {
		const newer: T[] = [];
		for (const entry of newestFirst()) {
			if (entry.id === after)
				return { shown: newer.slice(-size), newer: newer.length > size, older: true };
			newer.push(entry);
		}
	}
	const shown: T[] = [];
	let isPast = before === null;
	for (const entry of newestFirst()) {
		if (isPast && shown.length === size) return { shown, newer: before !== null, older: true };
		if (isPast) shown.push(entry);
		else isPast = entry.id === before;
	}
	if (!isPast) return partOf(newestFirst, { before: null, after: null }, size);
	return { shown, newer: before !== null, older: false };
}
