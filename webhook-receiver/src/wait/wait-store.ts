import type { WakeUp, WakeUpResult } from '../core/pull-contract.ts';
import type { StoredWait, Wait } from '../core/wait-contract.ts';

/**
 * What executions are waiting for. Part of the store, with the same guarantees: a
 * resolved promise is durable. Events count from the moment they are stored, including those from
 * before the wait. Times are milliseconds since the epoch.
 */
export interface WaitStore {
	/** Replaces an existing wait of this name. Throws `HttpError` 410 if a letter was erased. */
	put(id: string, wait: Wait, now: number): Promise<StoredWait>;
	get(id: string): Promise<StoredWait | null>;
	/** Returns whether there was one. */
	remove(id: string): Promise<boolean>;
	/** Wakes it again with what is known now, whatever its state; null if there is none. */
	restart(id: string, now: number): Promise<StoredWait | null>;

	/**
	 * Merges news into a bounded number of waits; those complete or past their deadline become
	 * ready, and listeners are told. Returns whether there may be more.
	 */
	gather(now: number): Promise<boolean>;
	/** When `gather` next has something to do, or null. */
	nextGather(): Promise<number | null>;

	/**
	 * Up to `most` wake-ups of an n8n that are ready and due. Nobody else gets them until they are
	 * settled or their lease expires. One that no key decrypts has failed.
	 */
	claim(instance: string, most: number, now: number): Promise<WakeUp[]>;
	settle(results: readonly WakeUpResult[], now: number): Promise<void>;
	/**
	 * Re-encrypts with the current key what an earlier one encrypted, so that the earlier one can be
	 * removed. Returns how many waits no key decrypts: those executions can't be woken.
	 */
	reseal(): Promise<number>;
	/** When this n8n's next wake-up falls due, or null; and how many executions still wait. */
	waiting(instance: string): Promise<{ count: number; nextAt: number | null }>;
}
