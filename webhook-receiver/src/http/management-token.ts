import type { Request, RequestHandler } from 'express';
import { HttpError } from '../core/http-error.ts';
import type { Guesses } from './guesses.ts';
import type { Refusals } from './refusals.ts';
import { anyEqual } from '../core/verifiers/shared-secret.ts';
import type { Role } from './roles.ts';

/** Requires a token, and notes its role. */
export function requireToken(
	tokens: ReadonlyArray<[Role, readonly string[]]>,
	guesses: Guesses,
	refusals: Refusals,
): RequestHandler {
	return (request, response, next) => {
		const given = tokenOf(request);
		if (given !== '') {
			guesses.admit(request, response);
			// All of them are compared, so that the time does not tell which role a guess is near to.
			const [found] = tokens.filter(([, own]) => anyEqual(given, own));
			if (found !== undefined) {
				guesses.noteRight(request);
				[response.locals.role] = found;
				return next();
			}
			guesses.noteWrong(request, response, given);
			if (request.path.endsWith('/pull')) refusals.note('pulls-refused', 'its token is wrong');
		}
		response.set('www-authenticate', 'Bearer');
		throw new HttpError(401, 'unauthorized', 'The management token is missing or wrong.');
	};
}

/** Answers who has no token with nothing, and no challenge: providers try an address before they use it. */
export const answerTry: RequestHandler = (request, response, next) => {
	if (tokenOf(request) !== '') return next();
	response.status(204).end();
};

/**
 * As bearer, or in `X-Management-Token`, which comes first, since a proxy in front may want `Authorization`
 * for itself.
 */
function tokenOf(request: Request): string {
	const bearer = /^Bearer +(.+)$/i.exec(request.get('authorization') ?? '')?.[1];
	return request.get('x-management-token') || (bearer ?? '');
}
