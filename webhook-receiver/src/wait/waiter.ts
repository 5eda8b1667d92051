import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import { DueLoop } from '../time/due-loop.ts';
import type { WaitStore } from './wait-store.ts';

/** How often to look for deadlines of a receiver that has stopped. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Finds waits that are over because of news or their deadline. A pull of their n8n
 * then delivers the outcome.
 */
export function createWaiter(parts: {
	store: { waits: WaitStore };
	clock: Clock;
	logger: Logger;
}): DueLoop {
	const { clock, logger } = parts;
	const { waits } = parts.store;
	return new DueLoop({
		clock,
		async work() {
			while (await waits.gather(clock.now()));
			const next = (await waits.nextGather()) ?? Infinity;
			return Math.min(next - clock.now(), LOOK_AGAIN_MS);
		},
		onError: (error) => logger.error({ err: error }, 'looking after waits failed'),
	});
}
