import { once } from 'node:events';
import express, { type Request, type Response, type Router } from 'express';
import { answerErrors, answerUnknownRoute } from '../http/answer-errors.ts';
import type { World } from '../world/world.ts';
import { notFound } from '../http/errors.ts';
import { exactRouter } from '../http/exact-router.ts';
import { checked, fieldErrors } from '../http/field-errors.ts';
import type { Endpoint, ServerSentEvent } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';

/** Steers the sandbox: stands in for people, the network and time. Not part of the service. */
export function controlRoutes(world: World): Router {
	const router = exactRouter();
	router.use(express.json({ limit: '1mb' }));
	// An answer is in the journal once it has closed, which its client may be ahead of by one turn.
	router.use((_request, _response, next) => void setImmediate(next));
	for (const endpoint of ENDPOINTS) {
		const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
		router[endpoint.method](path, (request, response) =>
			handle(endpoint, world, request, response),
		);
	}
	router.use(answerUnknownRoute);
	router.use(answerErrors(world.report));
	return router;
}

async function handle(endpoint: Endpoint, world: World, request: Request, response: Response) {
	const { params, query, body } = request;
	const gone = new AbortController();
	response.once('close', () => gone.abort());
	const result: unknown = await endpoint.handle(world, {
		params: endpoint.params ? inPath(endpoint.params, params) : {},
		query: endpoint.query ? checked(endpoint.query, query) : {},
		body: endpoint.body ? checked(endpoint.body, body ?? {}) : {},
		signal: gone.signal,
		lastEventId: request.get('last-event-id') ?? null,
	} as never);
	const { status, contentType } = endpoint.answer;
	response.status(status).set('Cache-Control', 'no-store');
	if (contentType === 'application/json') response.json(result);
	else if (contentType === 'text/event-stream')
		await stream(result as AsyncIterable<ServerSentEvent<unknown>>, response, gone.signal);
	else response.type(contentType).send(result);
}

/** What no path can name is not there. */
function inPath(schema: NonNullable<Endpoint['params']>, sent: unknown): unknown {
	const parsed = schema.safeParse(sent);
	if (parsed.success) return parsed.data;
	const reasons = fieldErrors(parsed.error, sent).map(({ message }) => message);
	throw notFound(reasons.join('; '));
}

async function stream(
	events: AsyncIterable<ServerSentEvent<unknown>>,
	response: Response,
	signal: AbortSignal,
): Promise<void> {
	response.set('Content-Type', 'text/event-stream').flushHeaders();
	response.write('retry: 1000\n\n');
	try {
		for await (const event of events) {
			if (response.write(written(event)) || signal.aborted) continue;
			// A slow reader delays only its own events and uses no more memory.
			await once(response, 'drain', { signal });
		}
		response.end();
	} catch (error) {
		// The client left, and so did whoever made its events.
		if (!signal.aborted) throw error;
	}
}

/** JSON has no line break of its own, so the data is always one line. */
const written = ({ id, event, data }: ServerSentEvent<unknown>): string =>
	[
		...(id === undefined ? [] : [`id: ${id}`]),
		...(event === undefined ? [] : [`event: ${event}`]),
		`data: ${JSON.stringify(data)}`,
		'\n',
	].join('\n');
