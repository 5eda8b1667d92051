import express, { Router } from 'express';
import type { Response } from 'express';
import { z } from 'zod/v4';
import { consumerKeySchema, pullSchema } from '../core/pull-contract.ts';
import { foundOr404, readBodyAs, readQuery, sliced, sliceSchema } from '../http/routes.ts';
import type { Clock } from '../time/clock.ts';
import type { Consumers } from './consumers.ts';
import type { Pulls } from './pulls.ts';

interface ConsumerParts {
	consumers: Consumers;
	pulls: Pulls;
	clock: Clock;
}

/** A thousand settlements and a thousand wake-ups, each with 500 three-byte characters. */
const LARGEST_BODY = '4mb';

const consumerSliceSchema = z.object({
	limit: sliceSchema.shape.limit.default(500),
	after: z.string().default(''),
});
const paramsSchema = z.object({ key: consumerKeySchema });

/** `/consumers`: who gets the events, and the pulls that fetch them. */
export function consumerRoutes({ consumers, pulls, clock }: ConsumerParts): Router {
	const router = Router();

	router.post('/:key/pull', express.json({ limit: LARGEST_BODY }), async (request, response) => {
		const { key } = readBodyAs(paramsSchema, request.params, 'consumer');
		const pull = readBodyAs(pullSchema, request.body, 'pull');
		const answer = await pulls.pull(key, pull, whenGone(response));
		const { batches, wakeUps } = answer;
		response.locals.log = { batches: batches.length, wakeUps: wakeUps.length };
		response.json(answer);
	});

	router.get('/', async (request, response) => {
		const slice = readQuery(request, consumerSliceSchema);
		const read = (part: typeof slice) => consumers.list(clock.now(), part);
		response.json(await sliced(slice, 'after', read, ({ key }) => key));
	});

	router.get('/:key', async (request, response) => {
		const all = await consumers.list(clock.now());
		const consumer = all.find(({ key }) => key === request.params.key) ?? null;
		response.json(foundOr404(consumer, 'consumer-not-found', 'There is no such consumer.'));
	});

	/** 204 even if there was none: what matters is that it is gone. */
	router.delete('/:key', async (request, response) => {
		await pulls.remove(readBodyAs(paramsSchema, request.params, 'consumer').key);
		response.status(204).end();
	});

	return router;
}

/** Aborts when the connection closes before the answer was sent. */
function whenGone(response: Response): AbortSignal {
	const gone = new AbortController();
	response.once('close', () => {
		if (!response.writableFinished) gone.abort();
	});
	return gone.signal;
}
