import type { Page } from '../store/store.ts';
import type { CLAIM_STATES, Claim, KeyedChange } from './claim-contract.ts';

export interface ClaimPage extends Page {
	/** As it is told at the moment: a lease that has passed is unknown. */
	state: (typeof CLAIM_STATES)[number] | null;
	name: string | null;
}

/**
 * Who sends under which key (design § 5). Part of the store, with the same promises: what resolves is
 * durable. A key has one winner, whatever the number of askers and receivers. Claims are kept for good.
 */
export interface ClaimStore {
	/** All or none, each key at most once; answers in the order of the changes. */
	change(changes: readonly KeyedChange[], now: number): Promise<Claim[]>;
	get(key: string, now: number): Promise<Claim | null>;
	/** Newest first; `id` is for paging. */
	list(page: ClaimPage, now: number): Promise<Array<{ id: number; claim: Claim }>>;
	/** Frees a key, whatever is known of it. */
	remove(key: string): Promise<void>;
}
