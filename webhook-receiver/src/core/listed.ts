import { CHANGES_KEPT, polledEvent } from './changes.ts';
import type { Change, NewId, Observed } from './changes.ts';
import { kindOfState } from './event-kinds.ts';
import type { ListedEntry } from './list-entry.ts';
import { SUBJECTS } from './lists.ts';
import type { ListName } from './lists.ts';

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
