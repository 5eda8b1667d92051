import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import { DueLoop } from '../time/due-loop.ts';
import type { Waits } from './waits.ts';

/** How often to look for deadlines of a receiver that has stopped, and for what to give up. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Finds waits that are over because of news or their deadline. A pull of their n8n
 * then delivers the outcome. What nobody woke long after its deadline is given up.
 */
export function createWaiter(parts: {
	store: { waits: Pick<Waits, 'gather' | 'nextGather' | 'giveUp' | 'anyQueued'> };
	clock: Clock;
	logger: Logger;
	metrics: { countWakeUps(outcome: 'term', count: number): void };
}): DueLoop {
	const { clock, logger, metrics } = parts;
	const { waits } = parts.store;
	const giveUp = async () => {
		const givenUp = await waits.giveUp(clock.now());
		for (const { id, wait, reason } of givenUp) {
			logger.warn({ batch: id, wait, reason }, 'an execution was not woken, and was given up');
		}
		metrics.countWakeUps('term', givenUp.length);
		return givenUp.length > 0;
	};
	return new DueLoop({
		clock,
		async work() {
			while (await waits.gather(clock.now()));
			while (await giveUp());
			const next = await waits.nextGather();
			// A new wait wakes it, at whichever receiver it was registered.
			if (next === null && !(await waits.anyQueued())) return null;
			return Math.min((next ?? Infinity) - clock.now(), LOOK_AGAIN_MS);
		},
		onError: (error) => logger.error({ err: error }, 'looking after waits failed'),
	});
}
