import type { Request, RequestHandler } from 'express';
import { HttpError } from '../core/http-error.ts';
import type { Guesses } from './guesses.ts';
import { anyEqual } from '../core/verifiers/shared-secret.ts';

/** Requires a management token as bearer. */
export function requireToken(tokens: readonly string[], guesses: Guesses): RequestHandler {
	return (request, response, next) => {
		const given = bearerOf(request);
		if (given !== '') {
			guesses.admit(request, response);
			if (anyEqual(given, tokens)) {
				guesses.noteRight(request);
				response.locals.isAuthorized = true;
				return next();
			}
			guesses.noteWrong(request, response, given);
		}
		response.set('www-authenticate', 'Bearer');
		throw new HttpError(401, 'unauthorized', 'The management token is missing or wrong.');
	};
}

/** Answers who has no token with nothing, and no challenge: providers try an address before they use it. */
export const answerTry: RequestHandler = (request, response, next) => {
	if (bearerOf(request) !== '') return next();
	response.status(204).end();
};

function bearerOf(request: Request): string {
	return /^Bearer +(.+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? '';
}
