import type { Engine, Fresh, Transaction } from './engine.ts';
import { noteNews } from './wait-news.ts';

/** Stores new events and marks the waits for their messages; returns their ids. */
export async function appendEvents(
	tx: Transaction,
	engine: Engine,
	fresh: readonly Fresh[],
): Promise<string[]> {
	if (fresh.length === 0) return [];
	const ids = fresh.map(({ event }) => event.messageId);
	const [eventIds] = await Promise.all([engine.append(tx, fresh), noteNews(tx, ids)]);
	return eventIds;
}
