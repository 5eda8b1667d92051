import express, { Router } from 'express';
import type { Request } from 'express';
import type { Clock } from '../clock.ts';
import type { DueLoop } from '../due-loop.ts';
import { HttpError } from '../http-error.ts';
import type { Pulls } from '../pull/pulls.ts';
import type { Store } from '../store/store.ts';
import { LONGEST_WAIT_DAYS, waitIdSchema, waitSchema } from '../wait/wait-contract.ts';
import type { Wait } from '../wait/wait-contract.ts';
import type { Watching } from '../watch/start.ts';
import { watchAll } from '../watch/watch-all.ts';
import { readBodyAs } from './read-body-as.ts';

export interface WaitParts {
	store: Store;
	waiter: DueLoop;
	pulls: Pulls;
	clock: Clock;
	watching: Watching;
}

/** A thousand messages are about 60 KB. */
const LARGEST_BODY = '256kb';

const DAY_MS = 86_400_000;

/** `/waits`: what Await Outcome registers before its execution goes to sleep (design § 10). */
export function waitRoutes({ store, waiter, pulls, clock, watching }: WaitParts): Router {
	const router = Router();

	router.put('/:waitId', express.json({ limit: LARGEST_BODY }), async (request, response) => {
		const id = readId(request);
		const wait = readWait(request.body, clock.now());
		// First, since a letter watched in vain does no harm, and a wait without its watches would.
		if (watching !== null) {
			const asked = wait.messages.map(({ messageId, messageType }) => ({
				...{ messageId, messageType: messageType ?? undefined },
			}));
			await watchAll(asked, { store, ...watching }, clock.now());
		}
		const stored = await store.waits.put(id, wait, clock.now());
		waiter.wake();
		const pulling = await pulls.processesOf(wait.instance);
		response.json({ ...stored, watching: watching !== null, pulling });
	});

	router.get('/:waitId', async (request, response) => {
		const stored = await store.waits.get(readId(request));
		if (stored === null) throw notFound();
		response.json(stored);
	});

	/** Wakes its execution once more, whatever became of it before. */
	router.post('/:waitId/retry', async (request, response) => {
		const stored = await store.waits.startAnew(readId(request), clock.now());
		if (stored === null) throw notFound();
		waiter.wake();
		response.status(202).json(stored);
	});

	/** 204 also when there was none: what matters is that it is gone. */
	router.delete('/:waitId', async (request, response) => {
		await store.waits.remove(readId(request));
		response.status(204).end();
	});

	return router;
}

function readId(request: Request): string {
	const id = waitIdSchema.safeParse(request.params.waitId);
	if (!id.success) throw notFound();
	return id.data;
}

function readWait(body: unknown, now: number): Wait {
	const wait = readBodyAs(waitSchema, body, 'wait');
	if (Date.parse(wait.deadline) > now + LONGEST_WAIT_DAYS * DAY_MS) {
		const message = `deadline lies more than ${LONGEST_WAIT_DAYS} days ahead.`;
		throw new HttpError(422, 'invalid-wait', message);
	}
	return wait;
}

function notFound(): HttpError {
	return new HttpError(404, 'wait-not-found', 'There is no wait of this id.');
}
