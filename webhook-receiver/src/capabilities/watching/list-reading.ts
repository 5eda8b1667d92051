import type { NewEvent, NewId } from '../../core/changes.ts';
import type { ListedEntry } from '../../core/list-entry.ts';
import { observeListed } from '../../core/listed.ts';
import type { ListedRecord } from '../../core/listed.ts';
import type { ListName } from '../../core/lists.ts';
import { listRest, nextTry } from './pace.ts';
import type { ListAge, ListPace } from './pace.ts';
import { isAboutAll } from './service.ts';
import type { ListPageAnswer } from './service.ts';

/** How far the watching of a list has come: stored as JSON, times in milliseconds. */
export interface ListWatch extends ListAge {
	/** When the last reading began; null before the first. */
	askedAt: number | null;
	/** When the last whole reading ended; null before the first. */
	readAt: number | null;
	/** By the service's clock, when the newest of the first reading's entries was created. */
	newestAt: number | null;
	/** Consecutive readings that broke off. */
	failures: number;
	problem: string | null;
}

/** The watching of a list that nobody wanted before. */
export function newListWatch(now: number): ListWatch {
	return {
		wantedAt: now,
		askedAt: null,
		readAt: null,
		pages: 0,
		newestAt: null,
		changedAt: null,
		failures: 0,
		problem: null,
	};
}

/** What one reading has seen so far, page by page. */
export interface Reading {
	startedAt: number;
	pages: number;
	/** Entries of the list at the last page, and whether there were more before. */
	total: number;
	shrank: boolean;
	newestAt: number | null;
	hasChanged: boolean;
}

export function beginReading({ newestAt }: ListWatch, now: number): Reading {
	return { startedAt: now, pages: 0, total: 0, shrank: false, newestAt, hasChanged: false };
}

type Page = Extract<ListPageAnswer, { kind: 'list-page' }>;

/**
 * Decides what a page changes. Each counts by itself, so that whatever is added or removed while the list is
 * being read, an entry is seen sooner or later, and each of its changes once.
 */
export function afterPage(
	list: ListName,
	{ watch, reading }: { watch: ListWatch; reading: Reading },
	{ entries, total }: Page,
	known: (id: string) => ListedRecord | null,
	now: number,
	newId: NewId,
): { reading: Reading; records: Map<string, ListedRecord>; events: NewEvent[] } {
	const records = new Map<string, ListedRecord>();
	const events: NewEvent[] = [];
	// One that the page names twice counts once.
	for (const entry of new Map(entries.map((one) => [one.id, one])).values()) {
		const before = known(entry.id);
		const listed = { list, entry, isAddition: isAddition(watch, entry) };
		const next = observeListed(before, listed, now, newId);
		if (next.record !== before) records.set(entry.id, next.record);
		events.push(...next.events);
	}
	const next = {
		...reading,
		pages: reading.pages + 1,
		total,
		shrank: reading.shrank || total < reading.total,
		newestAt: watch.readAt === null ? newestOf(reading.newestAt, entries) : reading.newestAt,
		hasChanged: reading.hasChanged || events.length > 0,
	};
	return { reading: next, records, events };
}

/** The watch after a reading of the whole list, and when to read it again. */
export function afterReading(
	list: ListName,
	watch: ListWatch,
	{ startedAt, pages, shrank, newestAt, hasChanged }: Reading,
	now: number,
	pace: ListPace,
): { watch: ListWatch; nextPollAt: number } {
	// An entry may have been missed between two pages: the first look is not over.
	const isOver = watch.readAt !== null || !shrank;
	const changedAt = hasChanged ? now : watch.changedAt;
	const readAt = isOver ? now : null;
	const next = { ...watch, pages, newestAt, changedAt, readAt, failures: 0, problem: null };
	const isReadAgain = readAt === null || isWantedAgain(next, startedAt, now);
	return { watch: next, nextPollAt: isReadAgain ? now : now + listRest(list, next, now, pace) };
}

/** The watch after a reading that broke off. */
export function afterBreak(
	list: ListName,
	watch: ListWatch,
	answer: Exclude<ListPageAnswer, Page>,
	now: number,
): { watch: ListWatch; nextPollAt: number } {
	const { kind, problem } = answer;
	if (isAboutAll(answer)) return { watch: { ...watch, problem }, nextPollAt: now };
	const failures = watch.failures + 1;
	const nextPollAt = nextTry(list, failures, now, kind !== 'resellers-only');
	return { watch: { ...watch, failures, problem }, nextPollAt };
}

/**
 * Whether a consumer or wait was added while the list was being read: its entry may be on a page that
 * was already read.
 */
function isWantedAgain({ wantedAt }: ListWatch, startedAt: number, now: number): boolean {
	return wantedAt > startedAt && wantedAt <= now;
}

/** The newest entry that was there at first, as far as that is known. */
function newestOf(before: number | null, entries: readonly ListedEntry[]): number | null {
	const times = entries.map(({ createdAt }) => createdAt).filter((time) => time !== null);
	const newest = Math.max(before ?? -Infinity, ...times);
	return newest === -Infinity ? null : newest;
}

/**
 * Whether an entry seen for the first time is new, rather than older than the watching. When an entry
 * is removed while the list is being read, the others move up, and one may be missed between two
 * pages. In a list sorted by age that is never the newest, unless the list has shrunk: then it is
 * read again before the first look is over.
 */
function isAddition({ readAt, newestAt }: ListWatch, { createdAt }: ListedEntry): boolean {
	if (readAt === null) return false;
	return createdAt === null || newestAt === null || createdAt > newestAt;
}
