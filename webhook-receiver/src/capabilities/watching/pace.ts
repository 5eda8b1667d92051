import { sha256Hex } from '../../core/fingerprint.ts';
import type { ListName } from '../../core/lists.ts';
import { hasGaps } from '../../core/records.ts';
import type { LetterRecord } from '../../core/records.ts';
import { backOff } from '../../time/back-off.ts';
import { CLOCK_MARGIN_MS } from '../../time/set-back.ts';

/** How fast letters and lists are asked for; in milliseconds. */
export interface WatchPace {
	/** From which age on how long to wait between two polls; by ascending age, the first at 0. */
	delays: ReadonlyArray<{ age: number; delay: number }>;
	/** How long after its last change a message is still watched. */
	limitMs: number;
	pollsPerMinute: number;
}

/** How far to vary the pace either way, so that watches started together drift apart. */
const SPREAD = 0.2;

/** After failed polls, so that an unreadable message takes up few polling slots. */
const AFTER_FAILURES = { first: 30_000, longest: 60 * 60_000 };

/** While the service says the message does not exist. */
const WHILE_NOT_FOUND = { first: 10 * 60_000, longest: 2 * 60 * 60_000 };

/**
 * The service may send a webhook a moment before its API shows the change. A poll this long after a
 * webhook no longer gets the older status.
 */
export const ANSWERS_LAG_MS = 30_000;

/**
 * When to poll a message next: often while it is young, rarely when old. Age counts from the last
 * change, since another often follows soon. After polls without a usable answer, backs off instead:
 * soon at first, then less and less often.
 */
export function nextPoll(
	messageId: string,
	record: LetterRecord,
	now: number,
	{ delays }: WatchPace,
): number {
	const { failures = 0, notFound = null } = record.watch ?? {};
	const wait = () => {
		if (failures > 0) return backOff(failures, AFTER_FAILURES);
		if (notFound !== null) return backOff(notFound.times, WHILE_NOT_FOUND);
		return delayAt(now - lastChange(record), delays);
	};
	return Math.round(now + wait() * spread(messageId, now));
}

/** A poll that lies further ahead was planned before the clock was set back: it is due. */
export function longestPause({ delays }: WatchPace): number {
	const all = [
		AFTER_FAILURES.longest,
		WHILE_NOT_FOUND.longest,
		...delays.map((step) => step.delay),
	];
	return Math.ceil(Math.max(...all) * (1 + SPREAD)) + CLOCK_MARGIN_MS;
}

/** When to poll after a webhook: the answer to a poll at once may be older. */
export function afterWebhook(record: LetterRecord, nextPollAt: number, now: number): number {
	const soon = now + ANSWERS_LAG_MS;
	return hasGaps(record) ? soon : Math.max(nextPollAt, soon);
}

/** What the pace of a list depends on. */
export interface ListAge {
	/** When a consumer or wait last began to want it. */
	wantedAt: number;
	/** When an entry last changed. */
	changedAt: number | null;
	/** How many pages it has. */
	pages: number;
}

/** A list is one request for many: it need not be read as rarely as an old letter. */
const LONGEST_REST_MS = 10 * 60_000;

/** Reading lists takes up at most this share of the rate limit. */
const LISTS_SHARE = 0.1;

/**
 * How long to pause after a list was read: as for a letter, by the time since anything changed or
 * someone began to want it; longer for a long list.
 */
export function listRest(
	list: ListName,
	{ wantedAt, changedAt, pages }: ListAge,
	now: number,
	{ delays, pollsPerMinute }: WatchPace,
): number {
	const age = now - Math.max(wantedAt, changedAt ?? 0);
	const byAge = Math.min(delayAt(age, delays), longestByAge(delays));
	return Math.round(Math.max(byAge, byLength(pages, pollsPerMinute)) * spread(list, now));
}

function longestByAge(delays: WatchPace['delays']): number {
	return Math.max(LONGEST_REST_MS, delayAt(0, delays));
}

function byLength(pages: number, pollsPerMinute: number): number {
	return (pages * 60_000) / pollsPerMinute / LISTS_SHARE;
}

/** Like {@link longestPause}, of a list. */
export function longestListPause(
	{ pages }: Pick<ListAge, 'pages'>,
	{ delays, pollsPerMinute }: WatchPace,
): number {
	const all = [WHILE_NOT_OURS.longest, longestByAge(delays), byLength(pages, pollsPerMinute)];
	return Math.ceil(Math.max(...all) * (1 + SPREAD)) + CLOCK_MARGIN_MS;
}

const WHILE_UNREADABLE = { first: 30_000, longest: 10 * 60_000 };

/** While the service says that the account has no such list. */
const WHILE_NOT_OURS = { first: 10 * 60_000, longest: 60 * 60_000 };

/** When to retry a page. */
export function nextTry(list: ListName, failures: number, now: number, isOurs: boolean): number {
	const wait = backOff(failures, isOurs ? WHILE_UNREADABLE : WHILE_NOT_OURS);
	return Math.round(now + wait * spread(list, now));
}

/** Each new interest in a list triggers a reading, at most this often. */
const READ_AT_MOST_EVERY_MS = 10_000;

/** When to read a list that a consumer or wait has begun to want. */
export function wantedPoll(askedAt: number | null, nextPollAt: number | null, now: number): number {
	const soon = Math.max(now, Math.min(askedAt ?? -Infinity, now) + READ_AT_MOST_EVERY_MS);
	return Math.min(nextPollAt ?? soon, soon);
}

export function isPastLimit(record: LetterRecord, now: number, { limitMs }: WatchPace): boolean {
	return now - lastChange(record) >= limitMs;
}

function lastChange({ watch, changes }: LetterRecord): number {
	return Math.max(watch?.createdAt ?? 0, changes.at(-1)?.at ?? 0);
}

function delayAt(age: number, delays: WatchPace['delays']): number {
	return (delays.findLast((step) => age >= step.age) ?? delays[0])?.delay ?? 0;
}

/** From 0.8 to 1.2, evenly spread, by subject and time: the same inputs give the same factor. */
function spread(subject: string, now: number): number {
	const evenly = parseInt(sha256Hex(`${subject} ${now}`).slice(0, 8), 16) / 0xffffffff;
	return 1 - SPREAD + 2 * SPREAD * evenly;
}
