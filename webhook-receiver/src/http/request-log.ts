import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import { withoutQuery } from '../core/without-query.ts';

/** Logs one wide line per request; routes add to it through `response.locals.log`. */
export function requestLog(logger: Logger, clock: Clock): RequestHandler {
	return (request, response, next) => {
		const started = clock.elapsed();
		response.once('close', () => {
			logger.info(
				{
					method: request.method,
					path: pathToLog(request.originalUrl, response.locals.role !== undefined),
					status: response.writableFinished ? response.statusCode : 'aborted',
					ms: Math.round(clock.elapsed() - started),
					...(response.locals.log as object | undefined),
				},
				'request',
			);
		});
		next();
	};
}

/**
 * Where no management token was shown, what follows the first part may be a secret, put there by who sends:
 * `/events/<secret>`. No route that is for everyone has anything there.
 */
function pathToLog(url: string, isAuthorized: boolean): string {
	const path = withoutQuery(url);
	if (isAuthorized) return path;
	const [first = '/'] = /^\/+[a-z]{0,12}(?=\/|$)/.exec(path) ?? [];
	return first.length < path.length ? `${first.replace(/\/*$/, '')}/…` : path;
}
