import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const SIZE = 16;

/** Random bytes for many ids: a system call for each would cost as much as its index entry. */
const random = new Uint8Array(256 * SIZE);
let used = random.length;

/**
 * UUID version 7 begins with the time, so each new id goes to the end of the database's index.
 * Random ones would make every event write another page of it.
 *
 * An id must never repeat, not even from a new database: n8n remembers the id of a batch forever and
 * never starts anything under it twice.
 */
export function newId(prefix: 'evt' | 'bat'): string {
	if (used === random.length) {
		randomFillSync(random);
		used = 0;
	}
	return `${prefix}_${v7({ random: random.subarray(used, (used += SIZE)) })}`;
}

export const newEventId = () => newId('evt');
