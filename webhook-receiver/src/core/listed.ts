import { z } from 'zod/v4';
import { addressKey } from './address.ts';
import { CHANGES_KEPT, polledEvent } from './changes.ts';
import type { Change, NewId, Observed } from './changes.ts';
import { kindOfState } from './event-kinds.ts';
import { sha256Hex } from './fingerprint.ts';
import { SUBJECTS } from './lists.ts';
import type { ListName } from './lists.ts';
import { readTime } from './read-time.ts';
import { storable } from './storable.ts';

/** A consent or a customer, as a page lists it. */
export interface ListedEntry {
	/** In lower case. */
	id: string;
	state: string;
	/**
	 * Digest of who was asked by whom: the same for the consents of one contact only, of whom a list
	 * has the newest (rule CONS-07). The id where there is no address.
	 */
	contact: string;
	/** By the service's clock, in milliseconds; null where it does not say. */
	createdAt: number | null;
	/** Without the members that grant access. */
	raw: Record<string, unknown>;
}

// Lazy: n8n reads it, and would make it at each start.
const entrySchema = z.lazy(() =>
	z.object({
		id: z.string().min(1).max(100).toLowerCase().transform(storable),
		state: z.string().trim().min(1).max(100).transform(storable),
	}),
);

/** A customer's token, and the address where a contact answers. */
const GRANT_ACCESS = new Set(['delegationToken', 'consentUrl']);

/** Null if it has no id or state: it must not block the others. */
export function readEntry(entry: Record<string, unknown>): ListedEntry | null {
	const read = entrySchema.safeParse(entry);
	if (!read.success) return null;
	const raw = Object.fromEntries(Object.entries(entry).filter(([name]) => !GRANT_ACCESS.has(name)));
	const { id, state } = read.data;
	const time = readTime(entry.createdAt);
	const createdAt = time === null ? null : Date.parse(time);
	const contact = contactOf(entry) ?? id;
	return { id, state, contact, createdAt, raw };
}

/** Two people may share an address, so all identifying members count. */
const IDENTIFYING = ['sender', 'email', 'firstName', 'lastName', 'company', 'identifier'];

function contactOf(entry: Record<string, unknown>): string | null {
	if (typeof entry.email !== 'string') return null;
	const who = IDENTIFYING.map((name) => {
		const value = entry[name];
		if (typeof value !== 'string') return '';
		return name === 'email' ? addressKey(value) : value.trim().toLowerCase();
	});
	return sha256Hex(JSON.stringify(who));
}

/** All that is known of a consent or a customer; stored as JSON. */
export interface ListedRecord {
	/** See {@link ListedEntry}. */
	contact: string;
	/** In the order in which they were seen; the last is its state. */
	changes: Change[];
	/** When a page last had it, to within a day: an unchanged list costs few writes. */
	seenAt: number;
}

/** A page has the entry. */
export interface Listed {
	list: ListName;
	entry: ListedEntry;
	/** Whether one that nothing is known of is newer than the watching. */
	isAddition: boolean;
}

const SEEN_EVERY_MS = 24 * 3_600_000;

/** A consent or customer after a page. Their states have no webhooks and no times. */
export function observeListed(
	record: ListedRecord | null,
	{ list, entry, isAddition }: Listed,
	now: number,
	newId: NewId,
): Observed<ListedRecord> {
	const { id, contact, state, raw } = entry;
	const last = record?.changes.at(-1);
	if (record !== null && last?.step.toUpperCase() === state.toUpperCase()) {
		const isRecent = Math.abs(now - record.seenAt) < SEEN_EVERY_MS;
		const isSame = isRecent && record.contact === contact;
		return { record: isSame ? record : { ...record, contact, seenAt: now }, events: [] };
	}
	const kind = kindOfState(list, state);
	const isNews = kind !== null && (record !== null || isAddition);
	const about = { messageId: null, messageType: null, [`${SUBJECTS[list]}Id`]: id, raw };
	const events = isNews ? [polledEvent(kind, about, now, newId)] : [];
	const change: Change = {
		type: kind?.type ?? null,
		step: kind?.status ?? state,
		at: now,
		by: 'poll',
		mark: null,
		eventId: events[0]?.id ?? null,
	};
	const changes = [...(record?.changes ?? []), change].slice(-CHANGES_KEPT);
	return { record: { contact, changes, seenAt: now }, events };
}
