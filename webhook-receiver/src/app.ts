import express from 'express';
import type { Express, RequestHandler } from 'express';
import type { Kernel } from './capability.ts';
import type { Verifier } from './core/verify.ts';
import { healthRoutes } from './http/health.ts';
import {
	errorHandler,
	notFound,
	plainAddresses,
	readableUrl,
	requestLog,
} from './http/middleware.ts';
import { Guesses, answerTry, requireToken, forRoles, only, tokensOf } from './http/access.ts';
import { ingest } from './log/ingest.ts';
import type { Intake } from './log/intake.ts';
import { historyRoutes, consumerRoutes } from './queue/route.ts';
import { logIn } from './sql/log.ts';
import { iso } from './time/iso.ts';

interface AppParts {
	kernel: Kernel;
	intake: Intake;
	verifiers: readonly Verifier[];
	isStopping: () => boolean;
	/** Called with each request but those for health and metrics. */
	onUse: () => void;
}

/** The HTTP side. */
export function createApp({ kernel, intake, verifiers, isStopping, onUse }: AppParts): Express {
	const { config, clock, logger, database, capabilities, consumers, counts, pulls, refusals } =
		kernel;
	const note: RequestHandler = (_request, _response, next) => {
		onUse();
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
	app.post('/events', note, ...ingest({ config, verifiers, intake, counts, refusals, clock }));

	const authenticate = requireToken(tokensOf(config), new Guesses(clock), refusals);
	// Scrapers on the same host need no token unless there is one.
	if (config.METRICS_TOKEN.length > 0) app.use('/metrics', authenticate, only('metrics'));
	app.use(healthRoutes({ database, intake, isStopping, clock: config.CLOCK }));
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
	app.use('/consumers', consumerRoutes({ consumers, pulls, clock }));
	app.use(historyRoutes({ log: logIn(database), consumers, clock }));
	for (const { routes } of capabilities) if (routes) app.use(routes);

	app.use(notFound);
	app.use(errorHandler(logger));
	return app;
}
