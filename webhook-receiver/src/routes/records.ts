import { Router } from 'express';
import { z } from 'zod/v4';
import type { Clock } from '../clock.ts';
import { HttpError } from '../http-error.ts';
import { BATCH_STATES } from '../pull/consumer-store.ts';
import type { Store } from '../store/store.ts';
import { nextPage, pageSchema, readQuery } from './listing.ts';

export interface RecordParts {
	store: Store;
	clock: Clock;
}

const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const batchPageSchema = pageSchema.extend({
	state: z.enum(BATCH_STATES).nullable().default(null),
});
const retrySchema = z.object({
	state: z.literal('dead', 'only dead deliveries can be retried together: state=dead'),
	consumer: z.string().nullable().default(null),
	from: time.nullable().default(null),
	before: time.nullable().default(null),
});

/** Events, and the batches in which they were delivered, newest first. */
export function recordRoutes({ store, clock }: RecordParts): Router {
	const router = Router();

	router.get('/events', async (request, response) => {
		const page = readQuery(request, pageSchema);
		const data = await store.events(page);
		response.json({ data, next: nextPage(data.at(-1)?.sequence) });
	});

	router.get('/deliveries', async (request, response) => {
		const page = readQuery(request, batchPageSchema);
		const data = await store.consumers.batches(page);
		response.json({ data, next: nextPage(data.at(-1)?.number) });
	});

	router.post('/events/:id/replay', async (request, response) => {
		const replay = await store.consumers.replay(request.params.id, clock.now());
		if (replay === null) throw new HttpError(404, 'event-not-found', 'There is no such event.');
		response.status(202).json(replay);
	});

	router.post('/deliveries/:id/retry', async (request, response) => {
		const batch = await store.consumers.retry(request.params.id, clock.now());
		if (batch === null) {
			const message =
				'There is no such delivery that is done or dead, or its events or consumer are gone.';
			throw new HttpError(404, 'delivery-not-found', message);
		}
		response.status(202).json(batch);
	});

	/** All that are dead, or those of one consumer or of a span of time. */
	router.post('/deliveries/retry', async (request, response) => {
		const { consumer, from, before } = readQuery(request, retrySchema);
		const retried = await store.consumers.retryDead({ consumer, from, before }, clock.now());
		response.status(202).json({ retried });
	});

	return router;
}
