import type { Logger } from 'pino';
import type { Store } from './store.ts';
import type { Clock } from '../time/clock.ts';
import { AWAY_MS } from '../attention/attention.ts';
import type { LetterLimit } from '../letters/limit.ts';
import { DueLoop } from '../time/due-loop.ts';
import { IDLE_PAUSE_MS } from './use.ts';

const PAUSE_MS = 60_000;

/** After a start n8n needs a moment to reconnect: until then every workflow seems away. */
const FIRST_MS = 2 * 60_000;

export interface AttendParts {
	store: Store;
	clock: Clock;
	logger: Logger;
	watches: boolean;
	limits: readonly LetterLimit[];
	isIdle: () => boolean;
}

/** Checks every minute whether something needs an operator, and tells the workflows that ask for it. */
export function createAttendant({
	store,
	clock,
	logger,
	watches,
	limits,
	isIdle,
}: AttendParts): DueLoop {
	const first = clock.elapsed() + FIRST_MS;
	return new DueLoop({
		clock,
		async work() {
			const restMs = first - clock.elapsed();
			if (restMs > 0) return restMs;
			const at = clock.now();
			const snapshot = await snapshotOf(store, at);
			const [reached] = await store.claims.reached(limits, at);
			const limit = reached?.text ?? null;
			const watching = watches ? snapshot.watching : null;
			const events = await store.attention.tell({ ...snapshot, watching, limit }, clock.now());
			for (const { attention } of events)
				logger.warn({ attention }, 'the receiver needs attention');
			return isIdle() ? IDLE_PAUSE_MS : PAUSE_MS;
		},
		onError: (error) => logger.error({ err: error }, 'looking for what needs attention failed'),
	});
}

/** The receiver at this moment. */
export async function snapshotOf(store: Store, at: number) {
	const [consumers, watching, lateWakeUps, deadWakeUps, unknownClaims, space] = await Promise.all([
		store.consumers.list(at),
		store.watching.figures(at),
		store.waits.late(at - AWAY_MS),
		store.waits.dead(),
		store.claims.unknown(at),
		store.space(),
	]);
	return { at, consumers, watching, lateWakeUps, deadWakeUps, unknownClaims, space };
}
