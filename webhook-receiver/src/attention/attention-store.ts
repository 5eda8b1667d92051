import type { DeliveryEvent } from '../core/event-contract.ts';
import type { Page } from '../core/page.ts';
import type { Reading, Trouble } from './attention.ts';

/** A trouble on record; `endedAt` is null while it lasts. Times are milliseconds. */
export interface TroubleRecord extends Trouble {
	/** Increases with each, for paging. */
	id: number;
	endedAt: number | null;
}

/** What needs an operator. Part of the store, with the same guarantees. */
export interface AttentionStore {
	/**
	 * Decides what begins and ends, and puts its events into the log, together: with several
	 * receivers on one database each is told once. Returns what was told.
	 */
	tell(reading: Reading, now: number): Promise<Array<Omit<DeliveryEvent, 'id' | 'sequence'>>>;
	/** Those that last. */
	open(): Promise<TroubleRecord[]>;
	/** What is over, and what was lost, newest first. */
	over(page: Page): Promise<TroubleRecord[]>;
}
