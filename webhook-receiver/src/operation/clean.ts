import { cleanAttention } from '../attention/record.ts';
import { cleanClaims } from '../claim/claims.ts';
import { cleanKeys } from '../ingest/intake.ts';
import { cleanBatches, cleanConsumers, cleanEvents } from '../pull/clean.ts';
import { cleanRecords } from '../records/record-rows.ts';
import type { Cleaning } from '../store/clean.ts';
import type { Transaction } from '../store/engine.ts';
import { cleanWaits } from '../wait/erase.ts';

/**
 * Removes a bounded number of expired things: settled batches first, then the events that nothing refers
 * to any more, then what was known of their letters. Returns whether there may be more.
 */
export async function clean(tx: Transaction, cleaning: Cleaning): Promise<boolean> {
	const settled = [
		await cleanConsumers(tx, cleaning),
		await cleanWaits(tx, cleaning),
		await cleanBatches(tx, cleaning),
	];
	const events = await cleanEvents(tx, cleaning);
	const others = [
		await cleanRecords(tx, cleaning),
		await cleanKeys(tx, cleaning),
		await cleanClaims(tx, cleaning),
		await cleanAttention(tx, cleaning),
	];
	// Of large events a step may be a single one.
	return events.length > 0 || [...settled, ...others].includes(true);
}
