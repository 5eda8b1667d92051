import { Router } from 'express';
import { z } from 'zod/v4';
import type { Clock } from '../clock.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { HttpError } from '../http-error.ts';
import { retryAllDead } from '../retry-all-dead.ts';
import { DELIVERY_STATES } from '../store/store.ts';
import type { Store } from '../store/store.ts';
import { nextPage, pageSchema, readQuery } from './listing.ts';

export interface RecordParts {
	store: Store;
	deliverer: Deliverer;
	clock: Clock;
}

const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const deliveryPageSchema = pageSchema.extend({
	state: z.enum(DELIVERY_STATES).nullable().default(null),
});
const retrySchema = z.object({
	state: z.literal('dead', 'only dead deliveries can be retried together: state=dead'),
	subscription: z.string().nullable().default(null),
	from: time.nullable().default(null),
	before: time.nullable().default(null),
});
const deliveryIdSchema = z.coerce.number().int().positive();

/** Events and deliveries, newest first. */
export function recordRoutes({ store, deliverer, clock }: RecordParts): Router {
	const router = Router();

	router.get('/events', async (request, response) => {
		const page = readQuery(request, pageSchema);
		const data = await store.events(page);
		response.json({ data, next: nextPage(data.at(-1)?.sequence) });
	});

	router.get('/deliveries', async (request, response) => {
		const page = readQuery(request, deliveryPageSchema);
		const data = await store.deliveries(page);
		response.json({ data, next: nextPage(data.at(-1)?.id) });
	});

	router.post('/events/:id/replay', async (request, response) => {
		const replay = await store.replayEvent(request.params.id, clock.now());
		if (replay === null) throw new HttpError(404, 'event-not-found', 'There is no such event.');
		deliverer.wake(replay.subscriptions);
		response.status(202).json({ deliveries: replay.subscriptions.length });
	});

	router.post('/deliveries/:id/retry', async (request, response) => {
		const id = deliveryIdSchema.safeParse(request.params.id);
		const delivery = id.success ? await store.retryDelivery(id.data, clock.now()) : null;
		if (delivery === null) {
			const message = 'There is no such delivery, or its subscription has ended.';
			throw new HttpError(404, 'delivery-not-found', message);
		}
		deliverer.wake([delivery.subscription]);
		response.status(202).json(delivery);
	});

	/** All that are dead, or those of one subscription or of a span of time, in bounded steps. */
	router.post('/deliveries/retry', async (request, response) => {
		const { subscription, from, before } = readQuery(request, retrySchema);
		const range = { subscription, from, before };
		const retried = await retryAllDead(range, { store, deliverer, clock });
		response.status(202).json({ retried });
	});

	return router;
}
