import type { RequestHandler } from 'express';
import { equalInConstantTime } from '../fingerprint.ts';
import { HttpError } from '../http-error.ts';

/** Lets through who brings one of the management tokens as a bearer. */
export function requireToken(tokens: readonly string[]): RequestHandler {
	return (request, response, next) => {
		const given = /^Bearer +(.+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? '';
		if (isToken(given, tokens)) return next();
		response.set('www-authenticate', 'Bearer');
		throw new HttpError(401, 'unauthorized', 'The management token is missing or wrong.');
	};
}

/** Compares with all of them, whichever it is: the time it takes tells nothing. */
export function isToken(given: string, tokens: readonly string[]): boolean {
	return tokens.filter((token) => equalInConstantTime(given, token)).length > 0;
}
