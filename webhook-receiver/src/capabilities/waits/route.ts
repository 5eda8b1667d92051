import express, { Router } from 'express';
import { z } from 'zod/v4';
import type { Kernel } from '../../capability.ts';
import { consentIdSchema, messageIdSchema } from '../../core/event-contract.ts';
import { HttpError } from '../../core/http-error.ts';
import { LONGEST_WAIT_DAYS, waitIdSchema, waitSchema } from '../../core/wait-contract.ts';
import type { Wait } from '../../core/wait-contract.ts';
import { foundOr404, readBodyAs, readQuery, sliceSchema, sliced } from '../../http/routes.ts';
import { inList } from '../../log/record-rows.ts';
import type { Waits } from './wait-store.ts';
import { findWait, listWaits } from './wait-views.ts';

/** A thousand messages take about 60 KB. */
const LARGEST_BODY = '256kb';

const DAY_MS = 86_400_000;

const waitSliceSchema = z.object({
	limit: sliceSchema.shape.limit,
	before: waitIdSchema.nullable().default(null),
	message: messageIdSchema.nullable().default(null),
	consent: consentIdSchema.nullable().default(null),
});

/** `/waits`: what Await Outcome and Await Consent register before their execution goes to sleep. */
export function waitRoutes(kernel: Kernel, waits: Waits): Router {
	const { clock, database, pulls } = kernel;
	const router = Router();

	router.param('waitId', (_request, _response, next, id) => {
		orNotFound(waitIdSchema.safeParse(id).data ?? null);
		next();
	});

	router.put('/waits/:waitId', express.json({ limit: LARGEST_BODY }), async (request, response) => {
		const wait = readWait(request.body, clock.now());
		const stored = await waits.put(request.params.waitId, wait, clock.now());
		const pulling = await pulls.processesOf(wait.instance);
		response.json({ ...stored, watching: kernel.watches !== undefined, pulling });
	});

	router.get('/waits', async (request, response) => {
		const { message, consent, ...slice } = readQuery(request, waitSliceSchema);
		const subject = message ?? (consent && inList('consents', consent));
		const read = (part: typeof slice) => listWaits(database, { subject, ...part });
		response.json(await sliced(slice, 'before', read, ({ waitId }) => waitId));
	});

	router.get('/waits/:waitId', async (request, response) => {
		response.json(orNotFound(await findWait(database, request.params.waitId)));
	});

	/** 204 even if there was none: what matters is that it is gone. */
	router.delete('/waits/:waitId', async (request, response) => {
		await waits.remove(request.params.waitId);
		response.status(204).end();
	});

	return router;
}

function readWait(body: unknown, now: number): Wait {
	const wait = readBodyAs(waitSchema, body, 'wait');
	if (Date.parse(wait.deadline) > now + LONGEST_WAIT_DAYS * DAY_MS) {
		const message = `deadline lies more than ${LONGEST_WAIT_DAYS} days ahead.`;
		throw new HttpError(422, 'invalid-wait', message);
	}
	return wait;
}

function orNotFound<T>(wait: T | null): T {
	return foundOr404(wait, 'wait-not-found', 'There is no wait of this id.');
}
