import type { RequestHandler } from 'express';
import { HttpError } from '../core/http-error.ts';
import { anyEqual } from '../core/verifiers/shared-secret.ts';

/** Lets through who brings one of the management tokens as a bearer. */
export function requireToken(tokens: readonly string[]): RequestHandler {
	return (request, response, next) => {
		const given = /^Bearer +(.+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? '';
		if (anyEqual(given, tokens)) return next();
		response.set('www-authenticate', 'Bearer');
		throw new HttpError(401, 'unauthorized', 'The management token is missing or wrong.');
	};
}
