import type { RequestHandler } from 'express';
import { HttpError } from '../core/http-error.ts';
import type { Guesses } from './guesses.ts';
import { anyEqual } from '../core/verifiers/shared-secret.ts';

/**
 * Requires a management token: as bearer, or in `X-Management-Token`, which comes first, since a proxy in
 * front may want `Authorization` for itself.
 */
export function requireToken(tokens: readonly string[], guesses: Guesses): RequestHandler {
	return (request, response, next) => {
		const bearer = /^Bearer +(.+)$/i.exec(request.get('authorization') ?? '')?.[1];
		const given = request.get('x-management-token') ?? bearer ?? '';
		if (given !== '') {
			guesses.admit(request, response);
			if (anyEqual(given, tokens)) {
				guesses.noteRight(request);
				return next();
			}
			guesses.noteWrong(request, response, given);
		}
		response.set('www-authenticate', 'Bearer');
		throw new HttpError(401, 'unauthorized', 'The management token is missing or wrong.');
	};
}
