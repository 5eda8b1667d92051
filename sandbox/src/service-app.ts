import express, { type Express } from 'express';
import { answerErrors, answerUnknownRoute } from './answer-errors.ts';
import { authenticate } from './authentication.ts';
import { consentReplyRoutes } from './consent-reply.ts';
import { consentRoutes } from './consents.ts';
import { controlRoutes } from './control.ts';
import { logoDownloads, logoRoutes } from './customer-logos.ts';
import { customerRoutes } from './customers.ts';
import { downloadRoutes } from './downloads.ts';
import { injectFaults } from './fault-injection.ts';
import { limitRate } from './rate-limit.ts';
import { readingRoutes } from './reading.ts';
import { logRequests } from './request-log.ts';
import { reschedulingRoutes } from './rescheduling.ts';
import { resendingRoutes } from './resending.ts';
import { sendingRoutes } from './sending.ts';
import type { World } from './world.ts';

/** The service of the interface, in the order a request passes through it. */
export function serviceApp(world: World): Express {
	const app = express();
	app.disable('x-powered-by');
	app.disable('etag');
	app.use('/_sandbox', controlRoutes(world));
	app.use(logRequests(world));
	app.use(injectFaults(world.faults));
	app.use(downloadRoutes(world));
	app.use(logoDownloads(world));
	app.use(consentReplyRoutes(world));
	app.use(authenticate(world.store));
	app.use(limitRate(world.rateLimiter));
	app.use(sendingRoutes(world));
	app.use(resendingRoutes(world));
	app.use(reschedulingRoutes(world));
	app.use(readingRoutes(world));
	app.use(customerRoutes(world));
	app.use(logoRoutes(world));
	app.use(consentRoutes(world));
	app.use(answerUnknownRoute);
	app.use(answerErrors(world.report));
	return app;
}
