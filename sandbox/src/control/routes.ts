import { Router } from 'express';
import { answerErrors, answerUnknownRoute } from '../http/answer-errors.ts';
import type { World } from '../world/world.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { ENDPOINTS } from './endpoints.ts';

/** Steers the sandbox: stands in for people, the network and time. Not part of the service. */
export function controlRoutes(world: World): Router {
	const router = Router();
	router.use(endpointRoutes(ENDPOINTS, world));
	router.use(answerUnknownRoute);
	router.use(answerErrors(world.report));
	return router;
}
