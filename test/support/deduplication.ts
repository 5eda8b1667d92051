// n8n stores deduplication keys in its database; n8n-core alone has none, so this stands in. Like n8n it keeps
// a list for each node, and one for the workflow, and drops the oldest of a list that is full.
import { DataDeduplicationService } from 'n8n-core';
import type { ICheckProcessedContextData, IDataDeduplicator } from 'n8n-workflow';

let isInUse = false;

const lists = new Map<string, Set<unknown>>();

/** How many keys a list has at most; default: as many as a node asks for. */
let most = Number.POSITIVE_INFINITY;

/** Lets lists have fewer keys, as if so many more had gone through. */
export function limitKeys(count = Number.POSITIVE_INFINITY): void {
	most = count;
}

function listOf(scope: string, { node, workflow }: ICheckProcessedContextData): Set<unknown> {
	const name = `${workflow.id} ${scope === 'node' ? node?.id : ''}`;
	const list = lists.get(name) ?? new Set();
	lists.set(name, list);
	return list;
}

/** Provides `checkProcessedAndRecord` and `removeProcessed` to nodes, with keys in memory. */
export function useDeduplication(): void {
	if (isInUse) return;
	isInUse = true;
	const inMemory: IDataDeduplicator = {
		checkProcessedAndRecord: async (items, scope, context, { maxEntries = most }) => {
			const list = listOf(scope, context);
			const processed = items.filter((item) => list.has(item));
			const fresh = items.filter((item) => !list.has(item));
			for (const item of fresh) list.add(item);
			for (const oldest of list) {
				if (list.size <= Math.min(most, maxEntries)) break;
				list.delete(oldest);
			}
			return { new: fresh, processed };
		},
		removeProcessed: async (items, scope, context) => {
			const list = listOf(scope, context);
			for (const item of items) list.delete(item);
		},
		clearAllProcessedItems: async (scope, context) => listOf(scope, context).clear(),
		getProcessedDataCount: async (scope, context) => listOf(scope, context).size,
	};
	// It is there at once, though n8n says that it is async.
	void DataDeduplicationService.init(inMemory);
}
