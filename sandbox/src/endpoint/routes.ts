import { once } from 'node:events';
import type { Request, Response, Router } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import type { World } from '../world/world.ts';
import type { Answer, Endpoint } from './endpoint.ts';

/** Asks an endpoint, and gives what its handler returns. */
export type Perform = (
	world: World,
	endpoint: Endpoint,
	request: Request,
	response: Response,
) => Promise<unknown>;

/** The routes of these endpoints; the first path that fits has the request. */
export function routesOf(world: World, endpoints: readonly Endpoint[], perform: Perform): Router {
	const router = exactRouter();
	for (const endpoint of endpoints) {
		const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
		router[endpoint.method](path, async (request, response) => {
			give(endpoint.answer, response, await perform(world, endpoint, request, response));
		});
	}
	return router;
}

function give({ status, contentType, schema }: Answer, response: Response, result: unknown) {
	response.status(status);
	if (schema === null) return void response.end();
	if (contentType === 'application/json') return void response.json(schema.parse(result));
	if (contentType !== 'text/event-stream') return void response.type(contentType).send(result);
	return stream(result as AsyncIterable<string>, response);
}

async function stream(events: AsyncIterable<string>, response: Response): Promise<void> {
	response.set('Content-Type', 'text/event-stream').flushHeaders();
	response.write('retry: 1000\n\n');
	for await (const event of events) {
		// A slow reader delays only its own events and uses no more memory.
		if (!response.write(`event: ${event}\ndata: {}\n\n`) && !response.destroyed)
			await Promise.race([once(response, 'drain'), once(response, 'close')]);
	}
	response.end();
}
