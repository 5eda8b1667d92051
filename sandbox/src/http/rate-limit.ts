import type { NextFunction, Request, Response } from 'express';
import { callerOf } from './authentication.ts';
import type { Clock } from '../world/clock.ts';
import { tooManyRequests } from './errors.ts';

/** Requests allowed per account in a number of seconds. */
export interface RateLimit {
	requests: number;
	seconds: number;
}

interface Window {
	startedAt: number;
	count: number;
}

/** What a snapshot keeps: the limit, and how much of it each account has used. */
export interface RateLimiterState {
	limit: RateLimit | null;
	windows: Array<[accountId: string, window: Window]>;
}

/** Counts requests per account in fixed windows. The values are not shown: off by default. */
export class RateLimiter {
	limit: RateLimit | null = null;
	readonly #clock: Clock;
	#windows = new Map<string, Window>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	set(limit: RateLimit | null): void {
		this.limit = limit;
		this.#windows = new Map();
	}

	export(): RateLimiterState {
		return { limit: this.limit, windows: [...this.#windows] };
	}

	import({ limit, windows }: RateLimiterState): void {
		this.limit = limit;
		this.#windows = new Map(windows);
	}

	/** Seconds to wait before the next request, or null if this one may pass. */
	take(accountId: string): number | null {
		if (!this.limit) return null;
		const now = this.#clock.now();
		const length = this.limit.seconds * 1000;
		const open = this.#windows.get(accountId);
		// One that begins later is left over from before the clock was set back.
		const isOpen = open && open.startedAt <= now && now < open.startedAt + length;
		const window = isOpen ? open : { startedAt: now, count: 0 };
		this.#windows.set(accountId, window);
		if (window.count++ < this.limit.requests) return null;
		return Math.max(1, Math.ceil((window.startedAt + length - now) / 1000));
	}
}

/** Rule AUTH-05. */
export const limitRate =
	(limiter: RateLimiter) =>
	(_request: Request, response: Response, next: NextFunction): void => {
		const wait = limiter.take(callerOf(response).account.id);
		if (wait === null) return next();
		response.set('Retry-After', String(wait));
		throw tooManyRequests();
	};
