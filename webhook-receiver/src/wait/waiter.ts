import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { DueLoop } from '../due-loop.ts';
import type { Store } from '../store/store.ts';

/** How often to look for deadlines that another receiver, now gone, was to look after. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Finds the waits that are over, since there is news of their messages or their deadline has come
 * (design § 10). What they are to be told comes home with a pull of their n8n.
 */
export function createWaiter(parts: { store: Store; clock: Clock; logger: Logger }): DueLoop {
	const { clock, logger } = parts;
	const { waits } = parts.store;
	return new DueLoop({
		clock,
		async work() {
			while (await waits.gather(clock.now()));
			const next = (await waits.nextGather()) ?? Infinity;
			return Math.min(next, clock.now() + LOOK_AGAIN_MS);
		},
		onError: (error) => logger.error({ err: error }, 'looking after waits failed'),
	});
}
