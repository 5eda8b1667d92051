import { v7 } from 'uuid';

/**
 * A new batch's id. n8n keeps it for good and starts nothing under it twice, so it must never come
 * again: not even from a database that was set up anew.
 */
export function newBatchId(): string {
	return `bat_${v7()}`;
}
