import type { Clock } from '../state/clock.ts';

/** Requests allowed per account in a number of seconds. */
interface RateLimit {
	requests: number;
	seconds: number;
}

interface Window {
	startedAt: number;
	count: number;
}

/** Counts requests per account in fixed windows. The values are not shown: off by default. */
export class RateLimiter {
	#limit: RateLimit | null = null;
	/** How much of it is used, by account. */
	readonly #windows = new Map<string, Window>();
	readonly #clock: Clock;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	set(limit: RateLimit | null): void {
		this.#limit = limit;
		this.#windows.clear();
	}

	/** Seconds to wait before the next request, or null if this one may pass. */
	take(accountId: string): number | null {
		const limit = this.#limit;
		if (!limit) return null;
		const now = this.#clock.now();
		const length = limit.seconds * 1000;
		const last = this.#windows.get(accountId);
		// One that begins later is left over from before the clock was set back.
		const isOpen = last && last.startedAt <= now && now < last.startedAt + length;
		const window = isOpen ? last : { startedAt: now, count: 0 };
		this.#windows.set(accountId, window);
		if (window.count++ < limit.requests) return null;
		return Math.max(1, Math.ceil((window.startedAt + length - now) / 1000));
	}
}
