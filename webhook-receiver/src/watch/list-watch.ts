/** How far the watching of a list has come: stored as JSON, times in milliseconds. */
export interface ListWatch {
	/** When a consumer or wait last began to want it. */
	wantedAt: number;
	/** The page to read next, from 1. */
	page: number;
	/** When the present reading began; null before the first. */
	startedAt: number | null;
	/** Entries of the list at the last page, and whether there were more earlier in this reading. */
	total: number;
	shrank: boolean;
	/** When the last whole reading ended, and how many pages it had; null before the first. */
	readAt: number | null;
	pages: number;
	/** By the service's clock, when the newest of the first reading's entries was created. */
	newestAt: number | null;
	/** When an entry last changed. */
	changedAt: number | null;
	/** Consecutive pages without a usable answer. */
	failures: number;
	problem: string | null;
}

/** The watching of a list that nobody wanted before. */
export function newListWatch(now: number): ListWatch {
	return {
		wantedAt: now,
		page: 1,
		startedAt: null,
		total: 0,
		shrank: false,
		readAt: null,
		pages: 0,
		newestAt: null,
		changedAt: null,
		failures: 0,
		problem: null,
	};
}
