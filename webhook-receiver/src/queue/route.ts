import express, { Router } from 'express';
import type { Response } from 'express';
import { z } from 'zod/v4';
import { messageIdSchema } from '../core/event-contract.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { consumerKeySchema, pullSchema } from '../core/pull-contract.ts';
import { foundOr404, readBodyAs, readQuery, sliced, sliceSchema } from '../http/routes.ts';
import type { Log } from '../sql/log.ts';
import type { Clock } from '../time/clock.ts';
import type { Consumers } from './consumers.ts';
import { BATCH_STATES } from './plan-batches.ts';
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

interface HistoryParts {
	log: Log;
	consumers: Consumers;
	clock: Clock;
}

const place = z.coerce.number().int().nonnegative();
const ofMessage = messageIdSchema.nullable().default(null);
const eventSliceSchema = sliceSchema.extend({ message: ofMessage, after: place.default(0) });
const batchSliceSchema = sliceSchema.extend({
	/** `open` is queued or in hand. */
	state: z
		.enum([...BATCH_STATES, 'open'])
		.nullable()
		.default(null),
	consumer: z.string().nullable().default(null),
	message: ofMessage,
	after: place.optional(),
});
const activitySchema = z.object({ hours: z.coerce.number().int().min(1).max(168).default(24) });
const retrySchema = z.object({
	state: z.literal('dead', 'only dead batches can be retried together: state=dead'),
	consumer: z.string().nullable().default(null),
});

const SPAN_MS = 30 * 60_000;

/**
 * Events, and the batches that delivered them, newest first; the events of one message, and batches
 * `after` a number, oldest first.
 */
export function historyRoutes({ log, consumers, clock }: HistoryParts): Router {
	const router = Router();

	router.get('/events', async (request, response) => {
		const { message, ...slice } = readQuery(request, eventSliceSchema);
		const placeOf = ({ sequence }: DeliveryEvent) => sequence;
		const found =
			message === null
				? await sliced(slice, 'before', log.slice, placeOf)
				: await sliced(
						slice,
						'after',
						({ limit, after }) => log.sliceOf(message, limit, after),
						placeOf,
					);
		response.json(found);
	});

	router.get('/batches', async (request, response) => {
		const { message, ...slice } = readQuery(request, batchSliceSchema);
		const read = (part: typeof slice) =>
			message === null ? consumers.batches(part) : consumers.batchesOf(message, part);
		const place = message === null && slice.after !== undefined ? 'after' : 'before';
		response.json(await sliced(slice, place, read, ({ number }) => number));
	});

	/** Counts of half an hour each; those in which nothing happened are left out. */
	router.get('/activity', async (request, response) => {
		const { hours } = readQuery(request, activitySchema);
		const data = await consumers.activity(clock.now() - hours * 3_600_000, SPAN_MS);
		response.json({ data, spanMs: SPAN_MS });
	});

	router.post('/events/:id/replay', async (request, response) => {
		const replay = await consumers.replay(request.params.id, clock.now());
		const known = foundOr404(replay, 'event-not-found', 'There is no such event.');
		response.status(202).json(known);
	});

	router.post('/batches/:id/retry', async (request, response) => {
		const batch = await consumers.retry(request.params.id, clock.now());
		const message =
			'There is no such batch that is done or dead: it has been handed out again already, or its events or consumer are gone.';
		response.status(202).json(foundOr404(batch, 'batch-not-found', message));
	});

	/** All dead batches, or those of one consumer. */
	router.post('/batches/retry', async (request, response) => {
		const { consumer } = readQuery(request, retrySchema);
		const retried = await consumers.retryDead(consumer, clock.now());
		response.status(202).json({ retried });
	});

	return router;
}
