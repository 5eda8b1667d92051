// n8n stores deduplication keys in its database; n8n-core alone has none, so this stands in.
import { DataDeduplicationService } from 'n8n-core';
import type { DeduplicationItemTypes, IDataDeduplicator } from 'n8n-workflow';

let isInUse = false;

/** Provides `checkProcessedAndRecord` and `removeProcessed` to nodes, with keys in memory. */
export function useDeduplication(): void {
	if (isInUse) return;
	isInUse = true;
	const known = new Set<DeduplicationItemTypes>();
	const inMemory: IDataDeduplicator = {
		checkProcessedAndRecord: async (items) => {
			const processed = items.filter((item) => known.has(item));
			const fresh = items.filter((item) => !known.has(item));
			for (const item of fresh) known.add(item);
			return { new: fresh, processed };
		},
		removeProcessed: async (items) => {
			for (const item of items) known.delete(item);
		},
		clearAllProcessedItems: async () => known.clear(),
		getProcessedDataCount: async () => known.size,
	};
	// It is there at once, though n8n says that it is async.
	void DataDeduplicationService.init(inMemory);
}
