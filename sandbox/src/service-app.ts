import express, { type Express } from 'express';
import { answerErrors, answerUnknownRoute } from './http/answer-errors.ts';
import { authenticate } from './http/authentication.ts';
import { holdWire } from './http/wire.ts';
import { linkTargets } from './link-targets.ts';
import { controlRoutes } from './control/routes.ts';
import { injectFaults } from './http/fault-injection.ts';
import { limitRate } from './http/limit-rate.ts';
import { noteWorld, requireSameWorld } from './http/same-world.ts';
import { recordRequests } from './journal/record-requests.ts';
import { refuseOtherSites, type SiteRules } from './http/other-sites.ts';
import { performOfService } from './endpoint/perform.ts';
import { routesOf } from './endpoint/routes.ts';
import { SERVICE_ENDPOINTS } from './service/endpoints.ts';
import type { World } from './world/world.ts';

/** The interface's service, in the order a request passes through it. */
export function serviceApp(world: World, sites: SiteRules, options: { strict: boolean }): Express {
	const app = express();
	app.disable('x-powered-by');
	app.disable('etag');
	app.use(holdWire(world));
	app.use('/_sandbox', refuseOtherSites(sites), controlRoutes(world), answerErrors(world.report));
	app.use(noteWorld(world));
	app.use(recordRequests(world));
	app.use(injectFaults(world));
	app.use((_request, response, next) => {
		requireSameWorld(world, response);
		next();
	});
	app.use(linkTargets(world));
	app.use(authenticate(world.store));
	app.use(limitRate(world.rateLimiter));
	app.use(routesOf(world, SERVICE_ENDPOINTS, performOfService(options)));
	app.use(answerUnknownRoute);
	app.use(answerErrors(world.report));
	return app;
}
