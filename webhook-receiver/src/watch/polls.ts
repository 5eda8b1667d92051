import type { ListName } from '../core/lists.ts';
import type { PageAnswer } from './answers.ts';
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
export interface LeaseRequest {
	now: number;
	most: number;
	/** Time between two polls, across all receivers. */
	intervalMs: number;
	/** How long nobody else gets them if they are not settled. */
	leaseMs: number;
}

export interface LeasedPolls {
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
