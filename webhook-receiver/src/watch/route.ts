import express, { Router } from 'express';
import type { Clock } from '../time/clock.ts';
import { watchSchema, watchesSchema } from '../core/event-contract.ts';
import type { LetterToWatch } from '../core/event-contract.ts';
import { HttpError } from '../core/http-error.ts';
import { iso } from '../time/iso.ts';
import type { Records } from '../records/record-rows.ts';
import type { WatchFigures, Watches } from './watches.ts';
import type { Watcher } from './watcher.ts';
import {
	checkMessageId,
	foundOr404,
	readBodyAs,
	readQuery,
	sliceSchema,
	sliced,
} from '../http/routes.ts';

export interface WatchParts {
	store: { watching: Watches; records: Records };
	watcher: Watcher | null;
	clock: Clock;
}

const LARGEST_BODY = '1mb';

/** `/watches`: messages whose status is polled. */
export function watchRoutes({ store, watcher, clock }: WatchParts): Router {
	const router = Router();
	const readJson = express.json({ limit: LARGEST_BODY });

	router.param('messageId', checkMessageId);

	const put = async (letters: readonly LetterToWatch[]) => {
		if (watcher === null) throw notConfigured();
		return await watcher.watch(letters);
	};

	router.put('/:messageId', readJson, async (request, response) => {
		const { messageId } = request.params;
		const fields = readBodyAs(watchSchema, request.body ?? {}, 'watch');
		const { created } = await put([{ messageId, ...fields }]);
		response.status(created === 1 ? 201 : 200).json((await store.records.get(messageId)).watch);
	});

	router.post('/', readJson, async (request, response) => {
		const { messages } = readBodyAs(watchesSchema, request.body, 'watch');
		// A message named twice counts once.
		const unique = new Map(messages.map((one) => [one.messageId, one]));
		response.json(await put([...unique.values()]));
	});

	/** How the delivery service is polled, and since when it does not answer as it should. */
	router.get('/service', async (_request, response) => {
		response.json(watcher && serviceView(await store.watching.figures(clock.now())));
	});

	/** Polls at once although polling is held up. */
	router.post('/retry', async (_request, response) => {
		if (watcher === null) throw notConfigured();
		await watcher.tryAtOnce();
		response.status(204).end();
	});

	router.get('/', async (request, response) => {
		const slice = readQuery(request, sliceSchema);
		const read = (part: typeof slice) => store.watching.list(part);
		const { data, next } = await sliced(slice, 'before', read, ({ id }) => id);
		response.json({ data: data.map(({ watch }) => watch), next });
	});

	router.get('/:messageId', async (request, response) => {
		const { watch } = await store.records.get(request.params.messageId);
		response.json(foundOr404(watch, 'watch-not-found', 'This message is not watched.'));
	});

	/** 204 even if there was none: what matters is that it is no longer polled. */
	router.delete('/:messageId', async (request, response) => {
		await store.watching.end(request.params.messageId, clock.now());
		response.status(204).end();
	});

	return router;
}

function notConfigured(): HttpError {
	const message =
		'This receiver does not know how to reach the delivery service, so it cannot watch letters. Set SERVICE_URL and SERVICE_TOKEN and restart it.';
	return new HttpError(409, 'watching-not-configured', message);
}

export type ServiceView = ReturnType<typeof serviceView>;

function serviceView({ watched, lists, nextPollAt, freeAt, problem, problemAt }: WatchFigures) {
	return {
		watched,
		nextPollAt: iso(nextPollAt),
		noPollBefore: iso(freeAt),
		problem,
		problemSince: iso(problemAt),
		lists: lists.map(({ readAt, ...list }) => ({ ...list, readAt: iso(readAt) })),
	};
}
