import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import { DueLoop } from '../time/due-loop.ts';
import type { RetentionConfig, Store } from '../store/store.ts';

const PAUSE_MS = 10 * 60_000;
/** Pause between two cleaning steps, so that ingest comes first. */
const BREATHER_MS = 50;

/** Removes expired data in small steps; starts when woken. */
export function createHousekeeping(
	retention: RetentionConfig,
	{ store, clock, logger }: { store: Store; clock: Clock; logger: Logger },
): DueLoop {
	return new DueLoop({
		clock,
		async work() {
			const hasMore = await store.clean(retention, clock.now());
			return hasMore ? BREATHER_MS : PAUSE_MS;
		},
		onError: (error) => logger.error({ err: error }, 'cleaning failed'),
	});
}
