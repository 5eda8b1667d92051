import type { WakeUp, WakeUpResult } from '../core/pull-contract.ts';
import type { StoredWait, Wait } from './wait-contract.ts';

/**
 * What executions wait for (design § 10). Part of the store, with the same promises: what resolves is
 * durable. Events count from the moment the store has them, also those from before the wait. Times are
 * milliseconds since the epoch.
 */
export interface WaitStore {
	/** A wait of this name that is there already is replaced. */
	put(id: string, wait: Wait, now: number): Promise<StoredWait>;
	get(id: string): Promise<StoredWait | null>;
	/** Answers whether there was one. */
	remove(id: string): Promise<boolean>;
	/** Wakes it once more with what is known now, whatever became of it before; null when there is none. */
	startAnew(id: string, now: number): Promise<StoredWait | null>;

	/**
	 * Takes in the news of a bounded number of waits; those that are complete, or past their deadline,
	 * become ready, which listeners are told. Answers whether there may be more.
	 */
	gather(now: number): Promise<boolean>;
	/** When `gather` will have something to do next, or null. */
	nextGather(): Promise<number | null>;

	/**
	 * Up to so many wake-ups of an n8n that are ready and due. Nobody else gets them until they are
	 * settled, or their lease has run out.
	 */
	claim(instance: string, most: number, now: number): Promise<WakeUp[]>;
	settle(results: readonly WakeUpResult[], now: number): Promise<void>;
	/** When a wake-up of this n8n is due next by itself, or null; and how many executions still wait. */
	waiting(instance: string): Promise<{ count: number; nextAt: number | null }>;
}
