import type { StoredWait, Wait, Resume } from './wait-contract.ts';

/** A wait whose outcomes are to be brought to n8n; nobody else gets it until it is settled. */
export interface ReadyWait {
	id: string;
	resumeUrl: string;
	secret: string;
	/** Attempts made before this one. */
	attempts: number;
	/** The same at every attempt. */
	resume: Resume;
}

/** How an attempt to resume ended. */
export interface WaitSettlement {
	id: string;
	/** A time: try again then. */
	next: number | 'resumed' | 'given-up';
	result: string;
}

/**
 * What executions wait for (design § 10). Part of the store, with the same promises: what resolves is
 * durable. Events count from the moment the store has them, also those from before the wait. Times are
 * milliseconds since the epoch.
 */
export interface WaitStore {
	/** Called when a wait has something to look at. One listener, the waiter. */
	onNews: () => void;

	/** A wait of this name that is there already is replaced. */
	put(id: string, wait: Wait, now: number): Promise<StoredWait>;
	get(id: string): Promise<StoredWait | null>;
	/** Answers whether there was one. */
	remove(id: string): Promise<boolean>;

	/**
	 * Takes in the news of a bounded number of waits; those that are complete, or past their deadline,
	 * become ready. Answers whether there may be more.
	 */
	gather(now: number): Promise<boolean>;
	/** Up to so many waits that are ready and due. */
	claim(most: number, now: number): Promise<ReadyWait[]>;
	settle(settlement: WaitSettlement, now: number): Promise<void>;
	/** When something will be due next, or null. */
	nextDue(): Promise<number | null>;
}
