import type { NextFunction, Request, Response } from 'express';
import { callerOf } from './authentication.ts';
import { serviceError } from './errors.ts';
import type { RateLimiter } from './rate-limit.ts';

/** Rule AUTH-05. Apart from the counting, whose types the package ships: Express has none of its own. */
export const limitRate =
	(limiter: RateLimiter) =>
	(_request: Request, response: Response, next: NextFunction): void => {
		const wait = limiter.take(callerOf(response).account.id);
		if (wait === null) return next();
		response.set('Retry-After', String(wait));
		throw serviceError(429, 'too-many-requests', 'Too many requests; see Retry-After');
	};
