import type { Page } from '../core/page.ts';
import type { CLAIM_STATES, Claim, KeyedChange } from '../core/claim-contract.ts';

export interface ClaimPage extends Page {
	/** The state as reported now: a lapsed lease counts as unknown. */
	state: (typeof CLAIM_STATES)[number] | null;
	name: string | null;
}

/**
 * Who may send under which key. Part of the store, with the same guarantees: a
 * resolved promise is durable. A key has one winner, however many claimants and receivers. Claims
 * are kept for good.
 */
export interface ClaimStore {
	/**
	 * All or none, each key at most once; returns claims in the order of the changes.
	 *
	 * @throws HttpError 413 `too-many-answers` if what is kept under the keys is too much for one answer
	 */
	change(changes: readonly KeyedChange[], now: number): Promise<Claim[]>;
	get(key: string, now: number): Promise<Claim | null>;
	/** Newest first: up to the limit, but fewer if they are large; `id` is for paging. */
	list(page: ClaimPage, now: number): Promise<Array<{ id: number; claim: Claim }>>;
	/** Of how many keys nobody knows whether anything was sent. */
	unknown(now: number): Promise<number>;
	/** Frees a key, whatever its state. */
	remove(key: string): Promise<void>;
}
