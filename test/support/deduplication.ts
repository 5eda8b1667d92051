// n8n stores deduplication keys in its database; n8n-core alone has none, so this stands in. Like n8n it keeps
// a list for each node, and one for the workflow, drops the oldest of a list that is full, and reads a list whole
// before it writes it back.
import { setImmediate as turn } from 'node:timers/promises';

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

const nameOf = (scope: string, { node, workflow }: ICheckProcessedContextData) =>
	`${workflow.id} ${scope === 'node' ? node?.id : ''}`;

const listOf = (...of: Parameters<typeof nameOf>) => new Set(lists.get(nameOf(...of)));

/** Provides `checkProcessedAndRecord` and `removeProcessed` to nodes, with keys in memory. */
export function useDeduplication(): void {
	if (isInUse) return;
	isInUse = true;
	const inMemory: IDataDeduplicator = {
		checkProcessedAndRecord: async (items, scope, context, { maxEntries = most }) => {
			const list = listOf(scope, context);
			await turn();
			const processed = items.filter((item) => list.has(item));
			const fresh = items.filter((item) => !list.has(item));
			for (const item of fresh) list.add(item);
			for (const oldest of list) {
				if (list.size <= Math.min(most, maxEntries)) break;
				list.delete(oldest);
			}
			lists.set(nameOf(scope, context), list);
			return { new: fresh, processed };
		},
		removeProcessed: async (items, scope, context) => {
			const list = listOf(scope, context);
			await turn();
			for (const item of items) list.delete(item);
			lists.set(nameOf(scope, context), list);
		},
		clearAllProcessedItems: async (scope, context) => void lists.delete(nameOf(scope, context)),
		getProcessedDataCount: async (scope, context) => listOf(scope, context).size,
	};
	// It is there at once, though n8n says that it is async.
	void DataDeduplicationService.init(inMemory);
}
