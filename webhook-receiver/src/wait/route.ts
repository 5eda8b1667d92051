import express, { Router } from 'express';
import { z } from 'zod/v4';
import { messageIdSchema } from '../core/event-contract.ts';
import type { LetterToWatch } from '../core/event-contract.ts';
import type { Clock } from '../time/clock.ts';
import type { DueLoop } from '../time/due-loop.ts';
import { HttpError } from '../core/http-error.ts';
import type { Waits } from './waits.ts';
import { LONGEST_WAIT_DAYS, waitIdSchema, waitSchema } from '../core/wait-contract.ts';
import type { Wait, WaitConsent } from '../core/wait-contract.ts';
import { foundOr404, sliceSchema, sliced, readBodyAs, readQuery } from '../http/routes.ts';

export interface WaitParts {
	store: { waits: Waits };
	waiter: DueLoop;
	pulls: {
		/** How many processes of this n8n pull now. */
		processesOf(instance: string): Promise<number>;
	};
	clock: Clock;
	/** Null where no service is configured. */
	watcher: {
		watch(letters: readonly LetterToWatch[]): Promise<unknown>;
		expect(consents: readonly WaitConsent[]): Promise<unknown>;
	} | null;
}

/** A thousand messages take about 60 KB. */
const LARGEST_BODY = '256kb';

const DAY_MS = 86_400_000;

const waitSliceSchema = z.object({
	limit: sliceSchema.shape.limit,
	before: waitIdSchema.nullable().default(null),
	message: messageIdSchema.nullable().default(null),
});

/** `/waits`: what Await Outcome and Await Consent register before their execution goes to sleep. */
export function waitRoutes({ store, waiter, pulls, clock, watcher }: WaitParts): Router {
	const router = Router();

	router.param('waitId', (_request, _response, next, id) => {
		known(waitIdSchema.safeParse(id).data ?? null);
		next();
	});

	router.put('/:waitId', express.json({ limit: LARGEST_BODY }), async (request, response) => {
		const wait = readWait(request.body, clock.now());
		// First: an unneeded watch does no harm, but a wait without its watches would.
		const letters = wait.messages?.map(({ messageId, messageType }) => ({
			messageId,
			messageType: messageType ?? undefined,
		}));
		if (letters !== undefined) await watcher?.watch(letters);
		if (wait.consents !== undefined) await watcher?.expect(wait.consents);
		const stored = await store.waits.put(request.params.waitId, wait, clock.now());
		waiter.wake();
		const pulling = await pulls.processesOf(wait.instance);
		response.json({ ...stored, watching: watcher !== null, pulling });
	});

	router.get('/', async (request, response) => {
		const { message: messageId, ...slice } = readQuery(request, waitSliceSchema);
		const read = (part: typeof slice) => store.waits.list({ messageId, ...part });
		response.json(await sliced(slice, 'before', read, ({ waitId }) => waitId));
	});

	router.get('/:waitId', async (request, response) => {
		response.json(known(await store.waits.get(request.params.waitId)));
	});

	/** 204 even if there was none: what matters is that it is gone. */
	router.delete('/:waitId', async (request, response) => {
		await store.waits.remove(request.params.waitId);
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

function known<T>(wait: T | null): T {
	return foundOr404(wait, 'wait-not-found', 'There is no wait of this id.');
}
