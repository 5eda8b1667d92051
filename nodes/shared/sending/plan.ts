import type { Entry } from './entry';

/** Which entries may share a request. */
export interface Sharing<E extends Entry> {
	/** Entries with the same key may share a request; null: only with its own item. */
	key(entry: E): string | null;
	/** How much of a request an entry takes up. */
	weight(entry: E): number;
	/** How much fits into a request, or null for any amount. A heavier entry goes alone. */
	most: number | null;
}

/** Plans as few requests as the sharing allows. Entries keep their order. */
export function planBatches<E extends Entry>(
	entries: readonly E[],
	{ key, weight, most }: Sharing<E>,
): E[][] {
	const batches: E[][] = [];
	const open = new Map<string, { batch: E[]; room: number }>();
	for (const entry of entries) {
		const name = key(entry) ?? `item ${entry.itemIndex}`;
		const needed = weight(entry);
		const found = open.get(name);
		if (found && found.room >= needed) {
			found.batch.push(entry);
			found.room -= needed;
			continue;
		}
		const batch = [entry];
		batches.push(batch);
		open.set(name, { batch, room: (most ?? Number.POSITIVE_INFINITY) - needed });
	}
	return batches;
}

/** Of several entries with one key, the first is sent and the others share its result. */
export function leadersOf<E extends Entry>(
	entries: readonly E[],
): { leaders: E[]; followers: Array<[follower: E, leader: E]> } {
	const first = new Map<string, E>();
	const leaders: E[] = [];
	const followers: Array<[E, E]> = [];
	for (const entry of entries) {
		const leader = entry.onceKey ? first.get(entry.onceKey) : undefined;
		if (leader) {
			followers.push([entry, leader]);
			continue;
		}
		leaders.push(entry);
		if (entry.onceKey) first.set(entry.onceKey, entry);
	}
	return { leaders, followers };
}
