import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const SIZE = 16;

/** Random bytes for many ids: a system call for each would cost as much as its index entry. */
const random = new Uint8Array(256 * SIZE);
let used = random.length;

/**
 * UUID version 7 begins with the time, in milliseconds. So each new id goes to the end of the database's
 * index, where random ones would make every row write another page of it.
 *
 * An id must never repeat, not even from a new database: n8n remembers the id of a batch forever and
 * never starts anything under it twice.
 */
export function newId(prefix: 'evt' | 'bat', now: number): string {
	if (used === random.length) {
		randomFillSync(random);
		used = 0;
	}
	return `${prefix}_${v7({ msecs: now, random: random.subarray(used, (used += SIZE)) })}`;
}

export const newEventId = (receivedAt: number) => newId('evt', receivedAt);

/** When an event was received, by its id; null if it is not one of ours. */
export function receivedAtIn(eventId: string): number | null {
	const [, high, low] = /^evt_([\da-f]{8})-([\da-f]{4})-7/.exec(eventId) ?? [];
	return high === undefined ? null : parseInt(`${high}${low}`, 16);
}
