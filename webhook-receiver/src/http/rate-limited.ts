import type { RequestHandler } from 'express';
import { HttpError } from '../core/http-error.ts';
import type { Clock } from '../time/clock.ts';
import { addressOf } from './guesses.ts';

const WINDOW_MS = 60_000;

/**
 * Limits requests per minute and address; 0 for no limit. Counts in one window for all, by monotonic
 * time: it must not limit for an hour when the clock is set back by one. Only authenticated requests
 * are counted, so it stays small.
 */
export function rateLimited(limit: number, { elapsed }: Pick<Clock, 'elapsed'>): RequestHandler {
	const counts = new Map<string, number>();
	let began = elapsed();
	return (request, response, next) => {
		if (limit === 0) return next();
		if (elapsed() - began >= WINDOW_MS) {
			counts.clear();
			began = elapsed();
		}
		const address = addressOf(request);
		const count = (counts.get(address) ?? 0) + 1;
		counts.set(address, count);
		if (count <= limit) return next();
		const seconds = Math.ceil((began + WINDOW_MS - elapsed()) / 1000);
		response.set('retry-after', String(seconds));
		throw new HttpError(429, 'too-many-requests', 'Too many requests. Try again later.');
	};
}
