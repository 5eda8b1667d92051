import type { Clock } from '../state/clock.ts';

/** Requests allowed per account in a number of seconds. */
export interface RateLimit {
	requests: number;
	seconds: number;
}

export interface Window {
	startedAt: number;
	count: number;
}

/** Counts requests per account in fixed windows. The values are not shown: off by default. */
export class RateLimiter {
	/** The limit, and by account how much of it is used. */
	state: { limit: RateLimit | null; windows: Record<string, Window> } = open(null);
	readonly #clock: Clock;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	set(limit: RateLimit | null): void {
		this.state = open(limit);
	}

	/** Seconds to wait before the next request, or null if this one may pass. */
	take(accountId: string): number | null {
		const { limit, windows } = this.state;
		if (!limit) return null;
		const now = this.#clock.now();
		const length = limit.seconds * 1000;
		const last = windows[accountId];
		// One that begins later is left over from before the clock was set back.
		const isOpen = last && last.startedAt <= now && now < last.startedAt + length;
		const window = isOpen ? last : { startedAt: now, count: 0 };
		windows[accountId] = window;
		if (window.count++ < limit.requests) return null;
		return Math.max(1, Math.ceil((window.startedAt + length - now) / 1000));
	}
}

const open = (limit: RateLimit | null) => ({ limit, windows: {} as Record<string, Window> });
