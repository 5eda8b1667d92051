import type { ConsumerView } from '../core/pull-contract.ts';
import type { WatchFigures } from '../watch/polls.ts';

/** A consumer not pulled for longer than this may be gone for good: its backlog raises no alarm. */
const ATTENDED_MS = 3_600_000;

/** Age of the oldest event waiting for an n8n that pulls, or did within the hour; 0 if none. */
export function oldestWaitingMs(consumers: readonly ConsumerView[], now: number): number {
	const times = consumers
		.filter(({ held, pulledAt }) => held || now - Date.parse(pulledAt) <= ATTENDED_MS)
		.map(({ oldestAt }) => (oldestAt === null ? now : Date.parse(oldestAt)));
	return Math.max(0, now - Math.min(now, ...times));
}

/** How overdue the most urgent poll is; 0 if none is. */
export function overdueMs({ nextPollAt }: WatchFigures, now: number): number {
	return nextPollAt === null ? 0 : Math.max(0, now - nextPollAt);
}
