import type { NewEvent, NewId } from '../core/changes.ts';
import type { ListedEntry } from '../core/list-entry.ts';
import { observeListed } from '../core/listed.ts';
import type { ListedRecord } from '../core/listed.ts';
import type { ListName } from '../core/lists.ts';
import type { ListWatch } from './list-watch.ts';
import { listRest, nextTry } from './pace.ts';
import type { ListPace } from './pace.ts';
import type { ListPageAnswer } from './answers.ts';

export interface AfterListPage {
	watch: ListWatch;
	nextPollAt: number;
	/** By id, the records that the page changes. */
	records: Map<string, ListedRecord>;
	events: NewEvent[];
	/** When the reading of the whole list began that is over now; null while it goes on. */
	readFrom: number | null;
}

/** After this many failures a page may no longer exist: reading restarts at the first. */
const TRIES_PER_PAGE = 3;

/**
 * Decides what a page changes. Each page counts by itself, so that whatever is added or removed while
 * the list is being read, an entry is seen sooner or later, and each of its changes once.
 *
 * @param askedAt when the page was asked for
 */
export function afterListPage(
	list: ListName,
	{ watch, known }: { watch: ListWatch; known: (id: string) => ListedRecord | null },
	{ answer, askedAt }: { answer: ListPageAnswer; askedAt: number },
	now: number,
	pace: ListPace,
	newId: NewId,
): AfterListPage {
	if (answer.kind === 'refused' || answer.kind === 'busy') {
		const held = { ...watch, problem: answer.problem };
		return { watch: held, nextPollAt: now, ...NOTHING_SEEN };
	}
	if (answer.kind !== 'list-page') {
		const failures = watch.failures + 1;
		const page = failures % TRIES_PER_PAGE === 0 ? 1 : watch.page;
		const failed = { ...watch, failures, page, problem: answer.problem };
		const isOurs = answer.kind !== 'resellers-only';
		return { watch: failed, nextPollAt: nextTry(list, failures, now, isOurs), ...NOTHING_SEEN };
	}
	const records = new Map<string, ListedRecord>();
	const events: NewEvent[] = [];
	// One that the page names twice counts once.
	for (const entry of new Map(answer.entries.map((one) => [one.id, one])).values()) {
		const before = known(entry.id);
		const listed = { list, entry, isAddition: isAddition(watch, entry) };
		const next = observeListed(before, listed, now, newId);
		if (next.record !== before) records.set(entry.id, next.record);
		events.push(...next.events);
	}
	const changedAt = events.length > 0 ? now : watch.changedAt;
	const { total } = answer;
	const reading =
		watch.page === 1
			? { startedAt: askedAt, shrank: false }
			: { startedAt: watch.startedAt, shrank: watch.shrank || total < watch.total };
	const newestAt = newestOf(watch, answer.entries);
	const next = { ...watch, ...reading, total, newestAt, changedAt, failures: 0, problem: null };
	if (watch.page < answer.lastPage) {
		const more = { ...next, page: watch.page + 1 };
		return { watch: more, nextPollAt: now, records, events, readFrom: null };
	}
	const isFirst = watch.readAt === null;
	const readAt = isFirst && next.shrank ? null : now;
	const finished = { ...next, page: 1, pages: watch.page, readAt };
	const isReadAgain = readAt === null || isWantedAgain(finished, now);
	return {
		watch: finished,
		nextPollAt: isReadAgain ? now : now + listRest(list, finished, now, pace),
		records,
		events,
		readFrom: next.startedAt ?? askedAt,
	};
}

const NOTHING_SEEN = { records: new Map<never, never>(), events: [], readFrom: null };

/**
 * Whether a consumer or wait was added while the list was being read: its entry may be on a page that
 * was already read.
 */
function isWantedAgain({ wantedAt, startedAt }: ListWatch, now: number): boolean {
	return startedAt !== null && wantedAt > startedAt && wantedAt <= now;
}

/** The newest entry that was there at first, as far as that is known. */
function newestOf(watch: ListWatch, entries: readonly ListedEntry[]): number | null {
	if (watch.readAt !== null) return watch.newestAt;
	const times = entries.map(({ createdAt }) => createdAt).filter((time) => time !== null);
	const newest = Math.max(watch.newestAt ?? -Infinity, ...times);
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
