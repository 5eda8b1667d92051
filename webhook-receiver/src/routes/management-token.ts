import type { RequestHandler } from 'express';
import { equalInConstantTime } from '../fingerprint.ts';
import { HttpError } from '../http-error.ts';

/** Lets through who brings the management token as a bearer. */
export function requireToken(token: string): RequestHandler {
	return (request, response, next) => {
		const given = /^Bearer +(.+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? '';
		if (equalInConstantTime(given, token)) return next();
		response.set('www-authenticate', 'Bearer');
		throw new HttpError(401, 'unauthorized', 'The management token is missing or wrong.');
	};
}
