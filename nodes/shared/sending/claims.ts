import type { IDataObject } from 'n8n-workflow';

/** What is known of a key that a letter goes out under once (*Send Once Key*). */
export type Claim =
	/** This run may send under it, and nobody else. */
	| { state: 'ours' }
	/** Somebody is sending under it right now: ask again. */
	| { state: 'busy' }
	| { state: 'sent'; answer: IDataObject }
	/** Somebody began to send under it, and what came of it is not known. */
	| { state: 'unknown'; reason: string };

/** How a claim ends. */
export type Settlement = Exclude<Claim, { state: 'ours' | 'busy' }>;

/**
 * Who may send under a key. One winner, whatever the number of askers; nobody waits while holding a
 * claim, so that two runs with the same keys can't block each other.
 */
export interface Claims {
	/**
	 * @param takesUnknown claims also what is unknown, at the risk of sending it twice
	 * @throws Error in plain words when it cannot be told; then nothing may leave
	 */
	claim(keys: readonly string[], takesUnknown: boolean): Promise<Map<string, Claim>>;
	/** The keys among these that letters have surely gone out under. Claims none. */
	known(keys: readonly string[]): Promise<Set<string>>;
	/** Keeps for good what became of claimed keys. Never throws: by then the letters are gone. */
	settle(settlements: ReadonlyMap<string, Settlement>): Promise<void>;
	/** Gives back claimed keys of which surely nothing left. Never throws. */
	release(keys: readonly string[]): Promise<void>;
	/** Ends what was not settled, in whatever way the run ended: it is unknown. */
	end(): Promise<void>;
}
