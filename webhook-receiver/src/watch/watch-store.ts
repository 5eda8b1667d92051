import type { StoredWatch, Watch } from '../core/event-contract.ts';
import type { Page } from '../core/page.ts';
import type { ListName } from '../core/lists.ts';
import type { ListPace, WatchPace } from './pace.ts';
import type { PageAnswer, ServiceAnswer } from './service.ts';
import type { LetterRecord } from '../core/records.ts';
import type { Poll } from './after-poll.ts';

/** A page of a list to be asked for. */
export interface PagePoll {
	list: ListName;
	page: number;
	revision: number;
	askedAt: number;
}

/** How it was answered; `null`: it was not asked for after all. */
export type PageOutcome = PagePoll & { answer: PageAnswer | null };

/** A list that is watched. */
export interface WatchedList {
	name: ListName;
	/** When it was last read whole; null before the first time. */
	readAt: number | null;
	problem: string | null;
}

/** Which polls a receiver asks for: those due `now`, up to a limit. */
export interface ClaimRequest {
	now: number;
	most: number;
	/** Time between two polls, across all receivers. */
	intervalMs: number;
	/** How long nobody else gets them if they are not settled. */
	leaseMs: number;
}

export interface PollClaim {
	/** Polls to make now, spaced one interval apart; nobody else gets them meanwhile. */
	polls: Poll[];
	/** Pages of lists, likewise. */
	pages: PagePoll[];
	/** When to ask again if there are none; null when nothing is watched. */
	wakeAt: number | null;
	/** Why polling was paused; null once a poll succeeds. */
	problem: string | null;
}

/** Covers everything that is watched. */
export interface WatchFigures {
	watched: number;
	lists: WatchedList[];
	/** When the next poll is or was due; null when nothing is watched. */
	nextPollAt: number | null;
	/**
	 * No poll before this time, because of the rate limit or because the service asked us to wait.
	 */
	freeAt: number;
	problem: string | null;
	/** Since when there has been a problem, of any kind. */
	problemAt: number | null;
}

/**
 * The part of the store that watching needs, with the same guarantees as
 * `Store`. What a poll finds and the events it makes are committed together, and never twice.
 * Claimed polls that are never settled because their receiver died fall due again when their lease
 * ends.
 */
export interface WatchStore {
	/**
	 * Starts watching, or adds to what is known about messages already watched. If one was erased,
	 * throws `HttpError` 410 and watches none.
	 */
	put(
		letters: ReadonlyArray<Watch & { messageId: string }>,
		now: number,
		pace: WatchPace,
	): Promise<{ created: number; existing: number }>;
	get(messageId: string): Promise<StoredWatch | null>;
	/** Newest first; `id` is for paging. */
	list(page: Page): Promise<Array<{ id: number; watch: StoredWatch }>>;
	/** Stops watching; returns whether it was watched. */
	end(messageId: string, now: number): Promise<boolean>;

	claim(request: ClaimRequest): Promise<PollClaim>;
	/**
	 * How a poll ended; `null`: it was not made after all. Returns how many events resulted; listeners
	 * are told of them.
	 */
	settle(poll: Poll, answer: ServiceAnswer | null, now: number, pace: WatchPace): Promise<number>;
	/**
	 * Watches the lists that are wanted: those whose events a consumer wants, and consents while an
	 * execution waits for one. Call it when listeners are told of polls.
	 */
	want(now: number): Promise<void>;
	/** Stores what a page of a list says; returns how many events resulted. */
	settlePage(outcome: PageOutcome, now: number, pace: ListPace): Promise<number>;
	/** Nobody polls before `until`. Without a problem, only records that it is over. */
	hold(held: { until: number; problem: string | null; now: number }): Promise<void>;

	/**
	 * Lets the next poll be made at once, whatever holds polling up.
	 *
	 * @param credentials only if these are others than the last time; null: whatever they are
	 */
	tryAtOnce(now: number, credentials: string | null): Promise<void>;

	figures(): Promise<WatchFigures>;
	/** What is known of a letter; null if nothing is. */
	record(messageId: string): Promise<LetterRecord | null>;
}
