import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import { DueLoop } from '../time/due-loop.ts';
import type { Store } from './store.ts';
import { IDLE_PAUSE_MS } from './use.ts';

const PAUSE_MS = 10 * 60_000;
/** Pause between two cleaning steps, so that ingest comes first. */
const BREATHER_MS = 50;

/** A smaller step of the clock makes nobody look as if they had been away. */
const STEADY_MS = 1_000;

/**
 * Removes expired data in small steps; starts when woken. First it waits for ten minutes in which the
 * clock was not set forward and nothing failed: after a jump, a stop or a database that was away,
 * every workflow looks as if it had been away for long, until its n8n pulls again.
 */
export function createHousekeeping(
	keepMs: { events: number; letters: number },
	{
		store,
		clock,
		logger,
		isIdle,
	}: { store: Store; clock: Clock; logger: Logger; isIdle: () => boolean },
): DueLoop {
	/** How far the clock was ahead of the running time when all was well; null before that. */
	let ahead: number | null = null;
	/** By the running time: when all will have been well for long enough, also if it is woken before. */
	let steadyAt = 0;
	return new DueLoop({
		clock,
		async work() {
			const before = ahead;
			const elapsed = clock.elapsed();
			ahead = clock.now() - elapsed;
			if (before === null || ahead - before >= STEADY_MS) steadyAt = elapsed + PAUSE_MS;
			if (elapsed < steadyAt) return steadyAt - elapsed;
			const hasMore = await store.clean(keepMs, clock.now());
			if (hasMore) return BREATHER_MS;
			return isIdle() ? IDLE_PAUSE_MS : PAUSE_MS;
		},
		onError(error) {
			ahead = null;
			logger.error({ err: error }, 'cleaning failed');
		},
	});
}
