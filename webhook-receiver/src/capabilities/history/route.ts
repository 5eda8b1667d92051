import { Router } from 'express';
import { z } from 'zod/v4';
import type { Kernel } from '../../capability.ts';
import { messageIdSchema } from '../../core/event-contract.ts';
import { foundOr404, readQuery, sliced, sliceSchema } from '../../http/routes.ts';
import { BATCH_STATES } from '../../queue/plan-batches.ts';
import { readActivity } from './activity.ts';
import { readBatches, readBatchesOf } from './batches.ts';
import { readEvents, readEventsOf } from './events.ts';
import { replay, retry, retryDead } from './requeue.ts';

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
export function historyRoutes({ database, clock }: Kernel): Router {
	const router = Router();

	router.get('/events', async (request, response) => {
		const { message, ...slice } = readQuery(request, eventSliceSchema);
		const read = (part: typeof slice) =>
			message === null ? readEvents(database, part) : readEventsOf(database, message, part);
		const place = message === null ? 'before' : 'after';
		response.json(await sliced(slice, place, read, ({ sequence }) => sequence));
	});

	router.get('/batches', async (request, response) => {
		const { message, ...slice } = readQuery(request, batchSliceSchema);
		const read = (part: typeof slice) =>
			message === null ? readBatches(database, part) : readBatchesOf(database, message, part);
		const place = message === null && slice.after !== undefined ? 'after' : 'before';
		response.json(await sliced(slice, place, read, ({ number }) => number));
	});

	/** Counts of half an hour each; those in which nothing happened are left out. */
	router.get('/activity', async (request, response) => {
		const { hours } = readQuery(request, activitySchema);
		const data = await readActivity(database, clock.now() - hours * 3_600_000, SPAN_MS);
		response.json({ data, spanMs: SPAN_MS });
	});

	router.post('/events/:id/replay', async (request, response) => {
		const consumers = await replay(database, request.params.id, clock.now());
		const known = foundOr404(consumers, 'event-not-found', 'There is no such event.');
		response.status(202).json({ consumers: known });
	});

	router.post('/batches/:id/retry', async (request, response) => {
		const batch = await retry(database, request.params.id, clock.now());
		const message =
			'There is no such batch that is done or dead: it has been handed out again already, or its events or consumer are gone.';
		response.status(202).json(foundOr404(batch, 'batch-not-found', message));
	});

	/** All dead batches, or those of one consumer. */
	router.post('/batches/retry', async (request, response) => {
		const { consumer } = readQuery(request, retrySchema);
		const retried = await retryDead(database, consumer, clock.now());
		response.status(202).json({ retried });
	});

	return router;
}
