import type { IDataObject } from 'n8n-workflow';

/** What is known about a *Send Once Key*, under which a letter goes out only once. */
export type Claim =
	/** Only this run may send under it. */
	| { state: 'ours' }
	/** Another run is sending under it right now: ask again. */
	| { state: 'busy' }
	| { state: 'sent'; answer: IDataObject }
	/** Another run started to send under it, and the result is unknown. */
	| { state: 'unknown'; reason: string };

/** How a claim ends. */
export type Settlement = Exclude<Claim, { state: 'ours' | 'busy' }>;

/**
 * Who may send under a key: one winner, however many claim it. Nobody waits while holding a claim,
 * so two runs with the same keys cannot block each other.
 */
export interface Claims {
	/**
	 * @param takesUnknown also claims unknown keys, at the risk of sending twice
	 * @throws Error in plain words if it cannot tell; then nothing may be sent
	 */
	claim(keys: readonly string[], takesUnknown: boolean): Promise<Map<string, Claim>>;
	/** Which of these keys letters certainly went out under. Claims none. */
	known(keys: readonly string[]): Promise<Set<string>>;
	/**
	 * Permanently records the results for claimed keys. Never throws: the letters are gone by then.
	 */
	settle(settlements: ReadonlyMap<string, Settlement>): Promise<void>;
	/** Releases claimed keys under which certainly nothing was sent. Never throws. */
	release(keys: readonly string[]): Promise<void>;
	/** Gives up claims not settled, however the run ended: their outcome is unknown. */
	end(): Promise<void>;
}
