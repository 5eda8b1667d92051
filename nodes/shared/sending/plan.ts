import { otherUse } from './claims';
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
export function planRequests<E extends Entry>(
	entries: readonly E[],
	{ key, weight, most }: Sharing<E>,
): E[][] {
	const groups: E[][] = [];
	const open = new Map<string, { group: E[]; room: number }>();
	for (const entry of entries) {
		const name = key(entry) ?? `item ${entry.itemIndex}`;
		const needed = weight(entry);
		const found = open.get(name);
		if (found && found.room >= needed) {
			found.group.push(entry);
			found.room -= needed;
			continue;
		}
		const group = [entry];
		groups.push(group);
		open.set(name, { group, room: (most ?? Number.POSITIVE_INFINITY) - needed });
	}
	return groups;
}

/** Entries with the key of an earlier one, apart from the others. */
export interface Leaders<E extends Entry> {
	leaders: E[];
	/** They ask for the same letter, and share its result. */
	followers: Array<[follower: E, leader: E]>;
	/** They ask for another letter, which the key can't mean. */
	strangers: Array<[stranger: E, leader: E]>;
}

/** Of several entries with one key, the first is sent. */
export function leadersOf<E extends Entry>(entries: readonly E[]): Leaders<E> {
	const first = new Map<string, E>();
	const found: Leaders<E> = { leaders: [], followers: [], strangers: [] };
	for (const entry of entries) {
		const { once } = entry;
		const leader = once ? first.get(once.id) : undefined;
		if (!leader) {
			found.leaders.push(entry);
			if (once) first.set(once.id, entry);
			continue;
		}
		const other = otherUse(once?.usedFor ?? null, leader.once?.usedFor ?? null, null);
		(other ? found.strangers : found.followers).push([entry, leader]);
	}
	return found;
}
