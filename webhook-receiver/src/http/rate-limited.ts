import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { HttpError } from '../core/http-error.ts';

const WINDOW_MS = 60_000;

/** At most so many requests a minute from one address (one /56 of IPv6); 0 for no limit. */
export function rateLimited(limit: number): RequestHandler {
	if (limit === 0) return (_request, _response, next) => next();
	return rateLimit({
		windowMs: WINDOW_MS,
		limit,
		legacyHeaders: false,
		standardHeaders: 'draft-8',
		keyGenerator: (request) => ipKeyGenerator(request.ip ?? ''),
		// It would print warnings about proxies; TRUSTED_PROXIES is the operator's word on that.
		validate: false,
		handler: (_request, _response, next) => {
			next(new HttpError(429, 'too-many-requests', 'Too many requests. Try again later.'));
		},
	});
}
