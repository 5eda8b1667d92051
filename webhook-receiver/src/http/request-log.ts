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
					path: withoutQuery(request.originalUrl),
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
