import { Router } from 'express';
import { z } from 'zod/v4';
import type { Clock } from '../time/clock.ts';
import { foundOr404 } from '../http/errors.ts';
import { BATCH_STATES } from './consumer-store.ts';
import type { ConsumerStore } from './consumer-store.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import type { Page } from '../core/page.ts';
import { nextPage, pageSchema, readQuery } from '../http/listing.ts';

export interface RecordParts {
	store: {
		consumers: ConsumerStore;
		events(page: Page): Promise<DeliveryEvent[]>;
	};
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

/** Events, and the batches that delivered them, newest first. */
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
		const known = foundOr404(replay, 'event-not-found', 'There is no such event.');
		response.status(202).json(known);
	});

	router.post('/deliveries/:id/retry', async (request, response) => {
		const batch = await store.consumers.retry(request.params.id, clock.now());
		const message =
			'There is no such delivery that is done or dead, or its events or consumer are gone.';
		response.status(202).json(foundOr404(batch, 'delivery-not-found', message));
	});

	/** All dead batches, or those of one consumer or time span. */
	router.post('/deliveries/retry', async (request, response) => {
		const { consumer, from, before } = readQuery(request, retrySchema);
		const retried = await store.consumers.retryDead({ consumer, from, before }, clock.now());
		response.status(202).json({ retried });
	});

	return router;
}
