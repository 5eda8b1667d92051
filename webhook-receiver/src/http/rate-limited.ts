import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import type { Store } from 'express-rate-limit';
import { HttpError } from '../core/http-error.ts';
import type { Clock } from '../time/clock.ts';
import { addressOf } from './guesses.ts';

const WINDOW_MS = 60_000;

/** Limits requests per minute and address; 0 for no limit. */
export function rateLimited(limit: number, clock: Pick<Clock, 'elapsed'>): RequestHandler {
	if (limit === 0) return (_request, _response, next) => next();
	return rateLimit({
		windowMs: WINDOW_MS,
		limit,
		legacyHeaders: false,
		standardHeaders: 'draft-8',
		keyGenerator: addressOf,
		store: windows(clock),
		// Its proxy warnings don't apply: TRUSTED_PROXIES configures proxies.
		validate: false,
		handler: (_request, _response, next) => {
			next(new HttpError(429, 'too-many-requests', 'Too many requests. Try again later.'));
		},
	});
}

/**
 * Counts in one window for all, by monotonic time: when the clock is set back by an hour, the
 * library's own store would keep limiting for that hour. Only authenticated requests are counted, so
 * it stays small.
 */
function windows({ elapsed }: Pick<Clock, 'elapsed'>): Store {
	const counts = new Map<string, number>();
	let began = elapsed();
	return {
		localKeys: true,
		increment(key) {
			if (elapsed() - began >= WINDOW_MS) {
				counts.clear();
				began = elapsed();
			}
			const totalHits = (counts.get(key) ?? 0) + 1;
			counts.set(key, totalHits);
			return { totalHits, resetTime: new Date(Date.now() + began + WINDOW_MS - elapsed()) };
		},
		decrement: () => undefined,
		resetKey: (key) => void counts.delete(key),
	};
}
