import type { Engine, Fresh, Transaction } from './engine.ts';
import { noteEvents } from './waits.ts';

/** Stores new events and marks the waits they concern. */
export async function appendEvents(
	tx: Transaction,
	engine: Engine,
	fresh: readonly Fresh[],
): Promise<void> {
	if (fresh.length === 0) return;
	await engine.append(tx, fresh);
	const ids = fresh.map(({ event }) => event.messageId);
	await noteEvents(tx, ids, Math.max(...fresh.map(({ now }) => now)));
}
