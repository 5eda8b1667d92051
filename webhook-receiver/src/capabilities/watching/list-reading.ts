import type { ListedEntry } from '../../core/listed.ts';
import type { ListName } from '../../core/lists.ts';
import { listRest, nextTry } from './pace.ts';
import type { ListAge, WatchPace } from './pace.ts';
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
	newestAt: number | null;
	hasChanged: boolean;
}

export function beginReading({ newestAt }: ListWatch, now: number): Reading {
	return { startedAt: now, pages: 0, newestAt, hasChanged: false };
}

export type ListPage = Extract<ListPageAnswer, { kind: 'list-page' }>;

/** The reading after a page; `hasNews` if the page has changed anything. */
export function afterPage(
	watch: ListWatch,
	reading: Reading,
	{ entries }: ListPage,
	hasNews: boolean,
): Reading {
	return {
		...reading,
		pages: reading.pages + 1,
		newestAt: watch.readAt === null ? newestOf(reading.newestAt, entries) : reading.newestAt,
		hasChanged: reading.hasChanged || hasNews,
	};
}

/** The watch after a reading of the whole list, and when to read it again. */
export function afterReading(
	list: ListName,
	watch: ListWatch,
	{ startedAt, pages, newestAt, hasChanged }: Reading,
	now: number,
	pace: WatchPace,
): { watch: ListWatch; nextPollAt: number } {
	const changedAt = hasChanged ? now : watch.changedAt;
	const next = { ...watch, pages, newestAt, changedAt, readAt: now, failures: 0, problem: null };
	// Who came to want it meanwhile may wait for an entry on a page that was already read.
	const isWantedAgain = watch.wantedAt > startedAt && watch.wantedAt <= now;
	return { watch: next, nextPollAt: isWantedAgain ? now : now + listRest(list, next, now, pace) };
}

/** The watch after a reading that broke off. */
export function afterBreak(
	list: ListName,
	watch: ListWatch,
	answer: Exclude<ListPageAnswer, ListPage>,
	now: number,
): { watch: ListWatch; nextPollAt: number } {
	const { kind, problem } = answer;
	if (isAboutAll(answer)) return { watch: { ...watch, problem }, nextPollAt: now };
	const failures = watch.failures + 1;
	const nextPollAt = nextTry(list, failures, now, kind !== 'resellers-only');
	return { watch: { ...watch, failures, problem }, nextPollAt };
}

/** The newest entry that was there at first, as far as that is known. */
function newestOf(before: number | null, entries: readonly ListedEntry[]): number | null {
	const times = entries.map(({ createdAt }) => createdAt).filter((time) => time !== null);
	const newest = Math.max(before ?? -Infinity, ...times);
	return newest === -Infinity ? null : newest;
}

/**
 * Whether an entry seen for the first time is new, rather than older than the watching. A newer consent of a
 * contact takes the place of the older one: if that happens while the list is being read, the others move up, and
 * one may be missed between two pages. In a list sorted by age that is never the newest.
 */
export function isAddition({ readAt, newestAt }: ListWatch, { createdAt }: ListedEntry): boolean {
	if (readAt === null) return false;
	return createdAt === null || newestAt === null || createdAt > newestAt;
}
