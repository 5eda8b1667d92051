import { WATCHED_SOURCE } from '../core/event-contract.ts';
import { kindOfState } from '../core/event-kinds.ts';
import type { EventKind } from '../core/event-kinds.ts';
import { SUBJECTS } from '../core/lists.ts';
import type { ListName } from '../core/lists.ts';
import type { ListedEntry } from '../records/list-entry.ts';
import type { NewEvent } from '../core/records.ts';
import type { KnownEntry, ListWatch } from './list-watch.ts';
import { listRest, nextTry } from './pace.ts';
import type { ListPace } from './pace.ts';
import type { PageAnswer } from './answers.ts';

/** An entry to be stored, with the event of its change, if it has one. */
export interface SeenEntry {
	entry: KnownEntry;
	event: NewEvent | null;
	/** Whether its state is new to an execution that waits for it. */
	isNews: boolean;
}

export interface PageDecision {
	watch: ListWatch;
	nextPollAt: number;
	seen: SeenEntry[];
	/** Entries last seen before this are no longer on the list; null if unknown. */
	goneBefore: number | null;
}

/** How exactly an entry's time is kept, so that an unchanged list costs few writes. */
const SEEN_EVERY_MS = 24 * 3_600_000;

/** How long an entry that is no longer listed is kept: it may return. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;

/** After this many failures a page may no longer exist: reading restarts at the first. */
const TRIES_PER_PAGE = 3;

/**
 * Decides what a page changes. Each page counts by itself, so that whatever is added or removed while
 * the list is being read, an entry is seen sooner or later, and each of its changes once.
 *
 * @param askedAt when the page was asked for
 */
export function afterPage(
	list: ListName,
	{ watch, known }: { watch: ListWatch; known: ReadonlyMap<string, KnownEntry> },
	{ answer, askedAt }: { answer: PageAnswer; askedAt: number },
	now: number,
	pace: ListPace,
): PageDecision {
	if (answer.kind === 'refused' || answer.kind === 'busy') {
		const held = { ...watch, problem: answer.problem };
		return { watch: held, nextPollAt: now, ...NOTHING_SEEN };
	}
	if (answer.kind !== 'page') {
		const failures = watch.failures + 1;
		const page = failures % TRIES_PER_PAGE === 0 ? 1 : watch.page;
		const failed = { ...watch, failures, page, problem: answer.problem };
		const isOurs = answer.kind !== 'resellers-only';
		return { watch: failed, nextPollAt: nextTry(list, failures, now, isOurs), ...NOTHING_SEEN };
	}
	const seen = seenIn(list, watch, known, answer.entries, now);
	const changedAt = seen.some(({ event }) => event !== null) ? now : watch.changedAt;
	const { total } = answer;
	const reading =
		watch.page === 1
			? { startedAt: askedAt, shrank: false }
			: { startedAt: watch.startedAt, shrank: watch.shrank || total < watch.total };
	const newestAt = newestOf(watch, answer.entries);
	const next = { ...watch, ...reading, total, newestAt, changedAt, failures: 0, problem: null };
	if (watch.page < answer.lastPage) {
		const more = { ...next, page: watch.page + 1 };
		return { watch: more, nextPollAt: now, seen, goneBefore: null };
	}
	const isFirst = watch.readAt === null;
	const readAt = isFirst && next.shrank ? null : now;
	const finished = { ...next, page: 1, pages: watch.page, readAt };
	const isReadAgain = readAt === null || isWantedAgain(finished, now);
	return {
		watch: finished,
		nextPollAt: isReadAgain ? now : now + listRest(list, finished, now, pace),
		seen,
		goneBefore: (next.startedAt ?? askedAt) - REMEMBERED_MS,
	};
}

const NOTHING_SEEN = { seen: [], goneBefore: null };

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

function seenIn(
	list: ListName,
	watch: ListWatch,
	known: ReadonlyMap<string, KnownEntry>,
	listed: readonly ListedEntry[],
	now: number,
): SeenEntry[] {
	// An entry that a page names twice counts once.
	const entries = new Map(listed.map((one) => [one.id, one]));
	return [...entries.values()].flatMap((one): SeenEntry[] => {
		const { id, state, contact } = one;
		const before = known.get(id);
		if (before !== undefined && isSame(before.state, state)) {
			const isRecent = Math.abs(now - before.seenAt) < SEEN_EVERY_MS;
			if (isRecent && before.contact === contact) return [];
			const entry = { ...before, contact, seenAt: now };
			return [{ entry, event: null, isNews: before.contact !== contact }];
		}
		const isChange = before !== undefined || isAddition(watch, one);
		const kind = isChange ? kindOfState(list, state) : null;
		return [
			{
				entry: { id, contact, state, changedAt: isChange ? now : null, eventId: null, seenAt: now },
				event: kind && eventOf(list, one, kind, now),
				isNews: true,
			},
		];
	});
}

function isSame(left: string, right: string): boolean {
	return left.toUpperCase() === right.toUpperCase();
}

function eventOf(list: ListName, { id, raw }: ListedEntry, kind: EventKind, now: number): NewEvent {
	return {
		...kind,
		sourceType: WATCHED_SOURCE,
		messageId: null,
		messageType: null,
		[`${SUBJECTS[list]}Id`]: id,
		// A state has no time.
		occurredAt: null,
		receivedAt: new Date(now).toISOString(),
		fileReference: null,
		customerReference: null,
		traceparent: null,
		raw,
	};
}
