import express from 'express';
import type { Express, RequestHandler } from 'express';
import type { Kernel } from './capability.ts';
import type { Verifier } from './core/verify.ts';
import {
	errorHandler,
	notFound,
	plainAddresses,
	readableUrl,
	requestLog,
} from './http/middleware.ts';
import { Guesses, answerTry, requireToken, forRoles, only, tokensOf } from './http/access.ts';
import { ingest } from './log/ingest.ts';
import { consumerRoutes } from './queue/route.ts';
import { iso } from './time/iso.ts';

/** The HTTP side. */
export function createApp(kernel: Kernel, verifiers: readonly Verifier[]): Express {
	const { config, clock, logger, capabilities, noteRefusal, use } = kernel;
	const note: RequestHandler = (_request, _response, next) => {
		use.note();
		next();
	};
	const app = express();
	app.disable('x-powered-by');
	app.disable('etag');
	app.set('trust proxy', config.TRUSTED_PROXIES);
	app.use(requestLog(logger, clock));
	app.use(readableUrl);
	app.use(plainAddresses);

	// First of all routes, since most requests are events.
	app.post('/events', note, ...ingest({ ...kernel, verifiers }));

	const authenticate = requireToken(tokensOf(config), new Guesses(clock), noteRefusal);
	// Scrapers on the same host need no token unless there is one.
	if (config.METRICS_TOKEN.length > 0) app.use('/metrics', authenticate, only('metrics'));
	for (const { publicRoutes } of capabilities) if (publicRoutes) app.use(publicRoutes);
	app.use(note);
	app.route('/events').get(answerTry).head(answerTry).options(answerTry);
	app.use(authenticate);
	app.use(
		forRoles([
			['n8n', 'get', '/clock'],
			['n8n', 'get', '/consumers'],
			['n8n', 'post', '/consumers/:key/pull'],
			...capabilities.flatMap(({ roles = [] }) => roles),
		]),
	);
	// By the clock that the times in the answers come from, so that their age can be told.
	app.use((_request, response, next) => {
		response.set('date', new Date(clock.now()).toUTCString());
		next();
	});
	app.get('/clock', (_request, response) => {
		response.json({ now: iso(clock.now()), of: config.CLOCK });
	});
	app.use('/consumers', consumerRoutes(kernel));
	for (const { routes } of capabilities) if (routes) app.use(routes);

	app.use(notFound);
	app.use(errorHandler(logger));
	return app;
}
