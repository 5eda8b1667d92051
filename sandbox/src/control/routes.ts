import express, { Router } from 'express';
import { z } from 'zod/v4';
import { answerErrors, answerUnknownRoute } from '../http/answer-errors.ts';
import { iso } from '../world/clock.ts';
import { accountControls } from './control-accounts.ts';
import { faultControls } from './control-faults.ts';
import { peopleControls } from './control-people.ts';
import { checked } from '../http/field-errors.ts';
import { openapiDocument } from '../openapi/openapi.ts';
import { snapshot } from './snapshot.ts';
import { webhookEndpointSchema } from '../webhooks/webhook-endpoint.ts';
import { publishedKeys } from '../webhooks/webhook-signing.ts';
import type { World } from '../world/world.ts';

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

const advanceSchema = z.strictObject({ ms: z.number().int().min(0).max(TEN_YEARS_MS) });

const webhooksSchema = z.strictObject({ webhooks: z.array(webhookEndpointSchema) });

const rateLimitSchema = z.strictObject({
	requests: z.number().int().min(1),
	seconds: z.number().min(0.001),
});

/** Steers the sandbox: stands in for people, the network and time. Not part of the service. */
export function controlRoutes(world: World): Router {
	const router = Router();
	router.use(express.json({ limit: '1mb' }));

	router.get('/state', (_request, response) => void response.json(snapshot(world)));
	router.post('/reset', async (_request, response) => {
		await world.reset();
		response.json({ reset: true });
	});
	router.post('/clock/advance', (request, response) => {
		world.advance(checked(advanceSchema, request.body).ms);
		world.store.changed();
		response.json({ now: iso(world.clock.now()) });
	});
	router.put('/webhooks', (request, response) => {
		const { webhooks } = checked(webhooksSchema, request.body);
		world.setWebhooks(webhooks);
		response.json({ webhooks: webhooks.map(({ secret: _, ...shown }) => shown) });
	});
	router.get('/ca.pem', (_request, response) => {
		response.type('application/x-pem-file').send(world.caCertificate);
	});
	router.get('/openapi.json', (_request, response) => void response.json(openapiDocument()));
	router.get('/jwks.json', (_request, response) => void response.json(publishedKeys()));
	router.put('/rate-limit', (request, response) => {
		world.rateLimiter.set(checked(rateLimitSchema, request.body));
		response.json({ rateLimit: world.rateLimiter.limit });
	});
	router.delete('/rate-limit', (_request, response) => {
		world.rateLimiter.set(null);
		response.json({ rateLimit: null });
	});
	router.use(faultControls(world));
	router.use(accountControls(world));
	router.use(peopleControls(world));

	router.use(answerUnknownRoute);
	router.use(answerErrors(world.report));
	return router;
}
