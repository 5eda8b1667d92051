import { v7 } from 'uuid';

/**
 * A new batch's id. n8n remembers it for good and never starts anything under it twice, so it must
 * never recur, not even from a freshly created database.
 */
export function newBatchId(): string {
	return `bat_${v7()}`;
}
