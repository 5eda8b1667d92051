import type { Capability, Kernel } from '../../capability.ts';
import type { Cleaning } from '../../sql/statements.ts';
import type { Transaction } from '../../sql/engine.ts';
import type { DueWork } from '../../time/due-loop.ts';
import { IDLE_PAUSE_MS } from '../../time/idle.ts';
import { jumpsOf } from '../../time/jumps.ts';
import { cleanBatches, cleanConsumers, cleanEvents, cleanKeys, cleanRecords } from './clean.ts';

const PAUSE_MS = 10 * 60_000;
/** Pause between two cleaning steps, so that ingest comes first. */
const BREATHER_MS = 50;

/** Removes what is older than `RETENTION`, and letters older than `LETTERS_RETENTION`. */
export const retention: Capability = {
	name: 'retention',
	start: (kernel) => ({ lead: () => cleaner(kernel) }),
};

/**
 * Removes expired data in small steps. First it waits for ten minutes in which the clock was not set forward
 * and nothing failed: after a jump, a stop or a database that was away, every workflow looks as if it had been
 * away for long, until its n8n pulls again.
 */
function cleaner(kernel: Kernel): DueWork {
	const { config, clock, database, use } = kernel;
	const jumpedAt = jumpsOf(clock);
	/** By the running time: when something last failed, or it began. */
	let failedAt = clock.elapsed();
	/** When it last found nothing more, and when it is to look again. */
	let doneAt = -Infinity;
	let nextAt = 0;
	return async () => {
		const elapsed = clock.elapsed();
		// Also if it is woken before.
		const steadyAt = Math.max(failedAt, jumpedAt()) + PAUSE_MS;
		const restMs = Math.max(steadyAt, nextAt) - elapsed;
		if (restMs > 0) return restMs;
		if (use.isIdle() && elapsed < doneAt + IDLE_PAUSE_MS) return PAUSE_MS;
		const now = clock.now();
		const cleaning = {
			now,
			before: now - config.RETENTION,
			lettersBefore: now - config.LETTERS_RETENTION,
		};
		const cleaned = database.transaction((tx) => clean(tx, kernel, cleaning));
		const hasMore = await cleaned.catch((error: unknown) => {
			failedAt = clock.elapsed();
			throw error;
		});
		if (!hasMore) doneAt = elapsed;
		const pauseMs = hasMore ? BREATHER_MS : PAUSE_MS;
		nextAt = elapsed + pauseMs;
		return pauseMs;
	};
}

/**
 * Removes a bounded number of expired things: what has been handed out first, then the events that nothing
 * refers to any more, then what was known of their letters. Returns whether there may be more.
 */
async function clean(
	tx: Transaction,
	{ capabilities, learn, noteLoss }: Kernel,
	cleaning: Cleaning,
): Promise<boolean> {
	const more = [await cleanConsumers(tx, cleaning, noteLoss)];
	for (const one of capabilities) more.push((await one.clean?.(tx, cleaning)) ?? false);
	more.push(await cleanBatches(tx, cleaning, noteLoss));
	more.push(await cleanEvents(tx, cleaning));
	more.push(await cleanRecords(tx, cleaning, learn), await cleanKeys(tx, cleaning));
	return more.includes(true);
}
