import type { Clock } from './clock.ts';

/** A smaller step of the clock makes nothing look as if it had been away, or late. */
const STEADY_MS = 1_000;

/**
 * Notices that the clock was set forward: by hand, while the machine slept, in a rehearsal. What was to
 * happen in between has not, though its time is over.
 *
 * @returns when it last was, by the running time and as seen when asked; -Infinity before
 */
export function jumpsOf(clock: Pick<Clock, 'now' | 'elapsed'>): () => number {
	let ahead = clock.now() - clock.elapsed();
	let jumpedAt = -Infinity;
	return () => {
		const elapsed = clock.elapsed();
		const before = ahead;
		ahead = clock.now() - elapsed;
		if (ahead - before >= STEADY_MS) jumpedAt = elapsed;
		return jumpedAt;
	};
}
