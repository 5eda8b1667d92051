import express, { type Router } from 'express';
import { CONTROL_ENDPOINTS } from './endpoints.ts';
import { performOfControl } from '../endpoint/perform.ts';
import { routesOf } from '../endpoint/routes.ts';
import { answerErrors, answerUnknownRoute } from '../http/answer-errors.ts';
import { exactRouter } from '../http/exact-router.ts';
import type { World } from '../world/world.ts';

/** Steers the sandbox: stands in for people, the network and time. Not part of the service. */
export function controlRoutes(world: World): Router {
	const router = exactRouter();
	router.use(express.json({ limit: '1mb' }));
	router.use((_request, response, next) => {
		response.set('Cache-Control', 'no-store');
		// An answer is in the journal once it has closed, which its client may be ahead of by one turn.
		setImmediate(next);
	});
	router.use(routesOf(world, CONTROL_ENDPOINTS, performOfControl));
	router.use(answerUnknownRoute);
	router.use(answerErrors(world.report));
	return router;
}
