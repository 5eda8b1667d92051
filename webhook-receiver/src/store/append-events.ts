import type { Engine, Fresh, Transaction } from './engine.ts';
import { noteEvents } from './waits.ts';

/** Stores new events and marks the waits they concern. */
export async function appendEvents(
	tx: Transaction,
	engine: Engine,
	fresh: readonly Fresh[],
): Promise<void> {
	if (fresh.length === 0) return;
	const ids = fresh.map(({ event }) => event.messageId);
	const now = Math.max(...fresh.map((one) => one.now));
	await Promise.all([engine.append(tx, fresh), noteEvents(tx, ids, now)]);
}
