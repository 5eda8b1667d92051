import express, { Router } from 'express';
import type { Kernel } from '../../capability.ts';
import { watchSchema, watchesSchema } from '../../core/event-contract.ts';
import type { LetterToWatch } from '../../core/event-contract.ts';
import { HttpError } from '../../core/http-error.ts';
import {
	checkMessageId,
	foundOr404,
	readBodyAs,
	readQuery,
	sliceSchema,
	sliced,
} from '../../http/routes.ts';
import { readRecord, watchView } from '../../log/record-rows.ts';
import { iso } from '../../time/iso.ts';
import { follow } from './follow.ts';
import type { ServiceHealth } from './service-health.ts';
import type { WatchedLetters } from './watched-letters.ts';
import type { WatchState } from './watch-state.ts';

interface WatchRouteParts {
	letters: WatchedLetters;
	serviceHealth: ServiceHealth;
	state: (now: number) => Promise<WatchState>;
	/** Whether there is a service to ask. */
	isOn: boolean;
}

const LARGEST_BODY = '1mb';

/** `/watches`: messages whose status is polled. */
export function watchRoutes(
	{ database, learn, clock }: Kernel,
	{ letters, serviceHealth, state, isOn }: WatchRouteParts,
): Router {
	const router = Router();
	const readJson = express.json({ limit: LARGEST_BODY });

	router.param('messageId', checkMessageId);

	const put = async (all: readonly LetterToWatch[]) => {
		if (!isOn) throw notConfigured();
		return await database.inTurn((tx) => follow(tx, learn, all, clock.now()));
	};

	router.put('/watches/:messageId', readJson, async (request, response) => {
		const { messageId } = request.params;
		const fields = readBodyAs(watchSchema, request.body ?? {}, 'watch');
		const { created } = await put([{ messageId, ...fields }]);
		const watch = watchView(await readRecord(database, messageId));
		response.status(created === 1 ? 201 : 200).json(watch);
	});

	router.post('/watches', readJson, async (request, response) => {
		const { messages } = readBodyAs(watchesSchema, request.body, 'watch');
		// A message named twice counts once.
		const unique = new Map(messages.map((one) => [one.messageId, one]));
		response.json(await put([...unique.values()]));
	});

	/** How the delivery service is polled, and since when it does not answer as it should. */
	router.get('/watches/service', async (_request, response) => {
		const now = clock.now();
		response.json(isOn ? serviceView(await state(now), now) : null);
	});

	/** Polls at once although polling is held up. */
	router.post('/watches/retry', async (_request, response) => {
		if (!isOn) throw notConfigured();
		await serviceHealth.tryAtOnce(clock.now());
		response.status(204).end();
	});

	router.get('/watches', async (request, response) => {
		const slice = readQuery(request, sliceSchema);
		const read = (part: typeof slice) => letters.list(part);
		const { data, next } = await sliced(slice, 'before', read, ({ id }) => id);
		response.json({ data: data.map(({ watch }) => watch), next });
	});

	router.get('/watches/:messageId', async (request, response) => {
		const watch = watchView(await readRecord(database, request.params.messageId));
		response.json(foundOr404(watch, 'watch-not-found', 'This message is not watched.'));
	});

	/** 204 even if there was none: what matters is that it is no longer polled. */
	router.delete('/watches/:messageId', async (request, response) => {
		await letters.end(request.params.messageId, clock.now());
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

function serviceView(
	{ watched, nextPollAt, until, problem, problemAt, answeredAt, lists }: WatchState,
	now: number,
) {
	return {
		watched,
		nextPollAt: iso(nextPollAt),
		noPollBefore: until > now ? iso(until) : null,
		problem,
		problemSince: iso(problemAt),
		answeredAt: iso(answeredAt),
		lists: lists.map(({ name, watch }) => {
			return { name, problem: watch.problem, readAt: iso(watch.readAt) };
		}),
	};
}
