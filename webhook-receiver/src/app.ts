import express, { Router } from 'express';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { attentionRoutes } from './attention/route.ts';
import type { ReceiverConfig } from './config/read-config.ts';
import { backupRoutes } from './operation/backup-route.ts';
import { claimRoutes } from './claim/route.ts';
import { consumerRoutes } from './pull/consumers-route.ts';
import { Guesses } from './http/guesses.ts';
import { erasureRoutes } from './operation/erasure-route.ts';
import type { ErasureParts } from './operation/erasure-route.ts';
import { errorHandler, notFound } from './http/errors.ts';
import { healthRoutes } from './operation/health-route.ts';
import type { HealthParts } from './operation/health-route.ts';
import type { Metrics } from './operation/metrics.ts';
import { ingest } from './ingest/route.ts';
import type { IngestParts } from './ingest/route.ts';
import { answerTry, requireToken } from './http/management-token.ts';
import { plainAddresses } from './http/plain-addresses.ts';
import { readableUrl } from './http/readable-url.ts';
import { letterRoutes } from './letters/route.ts';
import { only, tokensOf } from './http/roles.ts';
import type { Pulls } from './pull/pulls.ts';
import type { Store } from './operation/store.ts';
import { pageRoutes } from './page/route.ts';
import { historyRoutes } from './pull/history-route.ts';
import { requestLog } from './http/request-log.ts';
import { watchRoutes } from './watch/route.ts';
import type { Watcher } from './watch/watcher.ts';
import { waitRoutes } from './wait/route.ts';
import type { WaitParts } from './wait/route.ts';

export interface AppParts extends IngestParts, HealthParts, WaitParts, ErasureParts {
	config: ReceiverConfig;
	store: Store;
	pulls: Pulls;
	watcher: Watcher | null;
	metrics: Metrics;
	logger: Logger;
	/** Called with each request but those for health and metrics. */
	onUse: () => void;
}

/** The HTTP side. */
export function createApp(parts: AppParts): Express {
	const { config } = parts;
	const app = express();
	app.disable('x-powered-by');
	app.disable('etag');
	app.set('trust proxy', config.TRUSTED_PROXIES);
	app.use(requestLog(parts.logger, parts.clock));
	app.use(readableUrl);
	app.use(plainAddresses);

	const guesses = new Guesses(parts.clock);
	const authenticate = requireToken(tokensOf(config), guesses);
	// Nothing in them names a person, and scrapers on the same host need no token unless there is one.
	if (config.METRICS_TOKEN.length > 0) app.use('/metrics', authenticate, only('metrics'));
	app.use(healthRoutes(parts));
	app.use((_request, _response, next) => {
		parts.onUse();
		next();
	});
	app.post('/events', ...ingest(parts));
	app.route('/events').get(answerTry).head(answerTry).options(answerTry);
	app.use(pageRoutes());
	app.use(authenticate);
	app.use(forRoles());
	// By the clock that the times in the answers come from, so that their age can be told.
	app.use((_request, response, next) => {
		response.set('date', new Date(parts.clock.now()).toUTCString());
		next();
	});
	app.use('/consumers', consumerRoutes(parts));
	app.use('/claims', claimRoutes(parts));
	app.use('/letters', letterRoutes(parts));
	app.use('/waits', waitRoutes(parts));
	app.use('/watches', watchRoutes(parts));
	app.use('/attention', attentionRoutes(parts.store));
	app.use(backupRoutes(parts));
	app.use(erasureRoutes(parts));
	app.use(historyRoutes(parts));

	app.use(notFound);
	app.use(errorHandler(parts.logger));
	return app;
}

/** What n8n asks, and who carries the store away; all else is an operator's. */
function forRoles(): Router {
	const router = Router();
	router.get(['/consumers', '/letters', '/letters/summary'], only('n8n'));
	router.post('/consumers/:key/pull', only('n8n'));
	router.put(['/claims', '/claims/:key', '/waits/:id', '/watches/:id'], only('n8n'));
	router.post('/watches', only('n8n'));
	router.delete('/waits/:id', only('n8n'));
	router.use('/backup', only('backup'));
	router.use(only('operator'));
	return router;
}
