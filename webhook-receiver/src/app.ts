import express from 'express';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { claimRoutes } from './routes/claims.ts';
import { consumerRoutes } from './routes/consumers.ts';
import { errorHandler, notFound } from './routes/errors.ts';
import { healthRoutes } from './routes/health.ts';
import type { HealthParts } from './routes/health.ts';
import { ingest } from './routes/ingest.ts';
import type { IngestParts } from './routes/ingest.ts';
import { requireToken } from './routes/management-token.ts';
import { pageRoutes } from './routes/page.ts';
import { rateLimited } from './routes/rate-limited.ts';
import { recordRoutes } from './routes/records.ts';
import { requestLog } from './routes/request-log.ts';
import { watchRoutes } from './routes/watches.ts';
import { waitRoutes } from './routes/waits.ts';
import type { WaitParts } from './routes/waits.ts';

export interface AppParts extends IngestParts, HealthParts, WaitParts {
	managementTokens: readonly string[];
	trustedProxies: readonly string[];
	/** Requests a minute to `POST /events` from one address; 0 for no limit. */
	rateLimit: number;
	logger: Logger;
}

/** The HTTP side (design § 7). */
export function createApp(parts: AppParts): Express {
	const app = express();
	app.disable('x-powered-by');
	app.disable('etag');
	app.set('trust proxy', parts.trustedProxies.length > 0 ? [...parts.trustedProxies] : false);
	app.use(requestLog(parts.logger, parts.clock));

	app.use(healthRoutes(parts));
	app.post('/events', rateLimited(parts.rateLimit), ingest(parts));
	app.use(pageRoutes(parts));
	app.use(requireToken(parts.managementTokens));
	app.use('/consumers', consumerRoutes(parts));
	app.use('/claims', claimRoutes(parts));
	app.use('/waits', waitRoutes(parts));
	app.use('/watches', watchRoutes(parts));
	app.use(recordRoutes(parts));

	app.use(notFound);
	app.use(errorHandler(parts.logger));
	return app;
}
