import type { Logger } from 'pino';
import type { Store } from './store.ts';
import type { Clock } from '../time/clock.ts';
import { DueLoop } from '../time/due-loop.ts';

export interface ClockWatchParts {
	store: Store;
	clock: Clock;
	logger: Logger;
	/** Things may be due earlier than they seemed. */
	onSetBack: () => void;
}

/** A smaller step delays nothing noticeably. */
const NOTICED_MS = 1_000;

/**
 * When the wall clock is set back, while this process runs or before, due times in the store would
 * come that much later: sets them back as well. When it is set forward, leases and pauses end early,
 * which only repeats work; a machine that slept looks the same.
 */
export function createClockWatch(parts: ClockWatchParts): Pick<DueLoop, 'wake' | 'stop'> {
	const { store, clock, logger } = parts;
	let isFirst = true;
	/** Not yet applied to the store. */
	let behindMs = 0;
	const loop = new DueLoop({
		clock,
		async work() {
			if (isFirst) behindMs = Math.max(behindMs, await store.aheadOf(clock.now()));
			isFirst = false;
			const byMs = Math.round(behindMs);
			if (byMs >= NOTICED_MS) {
				await store.setBack({ byMs, now: clock.now() });
				logger.warn({ seconds: byMs / 1000 }, 'the clock was set back: pauses keep their length');
				parts.onSetBack();
			}
			behindMs = Math.max(behindMs - byMs, 0);
			return null;
		},
		onError: (error) => logger.error({ err: error }, 'setting back what waits failed'),
	});
	const cancel = clock.onSetBack((byMs) => {
		behindMs += byMs;
		loop.wake();
	});
	return {
		wake: () => loop.wake(),
		stop() {
			cancel();
			return loop.stop();
		},
	};
}
