import express, { Router } from 'express';
import type { Request } from 'express';
import { z } from 'zod/v4';
import type { Clock } from '../clock.ts';
import { watchSchema, watchesSchema } from '../contract.ts';
import type { Watch } from '../contract.ts';
import { HttpError } from '../http-error.ts';
import type { Store } from '../store/store.ts';
import type { Watching } from '../watch/start.ts';
import { watchAll } from '../watch/watch-all.ts';
import { nextPage, pageSchema, readQuery } from './listing.ts';

export interface WatchParts {
	store: Store;
	watching: Watching;
	clock: Clock;
}

const LARGEST_BODY = '1mb';

const messageIdSchema = z.string().regex(/^\d{12}$/);

/** `/watches`: whose status is to be polled (design, section Outcomes). */
export function watchRoutes({ store, watching, clock }: WatchParts): Router {
	const router = Router();
	const readJson = express.json({ limit: LARGEST_BODY });

	const put = async (asked: ReadonlyArray<Watch & { messageId: string }>) => {
		if (watching === null) throw notConfigured();
		return await watchAll(asked, { store, ...watching }, clock.now());
	};

	router.put('/:messageId', readJson, async (request, response) => {
		const messageId = readMessageId(request);
		const told = readWatch(request.body ?? {}, watchSchema);
		const { created } = await put([{ messageId, ...told }]);
		response.status(created === 1 ? 201 : 200).json(await store.watching.get(messageId));
	});

	router.post('/', readJson, async (request, response) => {
		const { messageIds, messages, ...told } = readWatch(request.body, watchesSchema);
		const all = [
			...messageIds.map((messageId) => ({ messageId, ...told })),
			...messages.map((message) => ({ ...told, ...message })),
		];
		// One that is named twice is one.
		const unique = new Map(all.map((one) => [one.messageId, one]));
		response.json(await put([...unique.values()]));
	});

	router.get('/', async (request, response) => {
		const rows = await store.watching.list(readQuery(request, pageSchema));
		response.json({ data: rows.map(({ watch }) => watch), next: nextPage(rows.at(-1)?.id) });
	});

	router.get('/:messageId', async (request, response) => {
		const watch = await store.watching.get(readMessageId(request));
		if (watch === null) throw notWatched();
		response.json(watch);
	});

	/** 204 also when there was none: what matters is that it is polled no more. */
	router.delete('/:messageId', async (request, response) => {
		await store.watching.end(readMessageId(request), clock.now());
		response.status(204).end();
	});

	return router;
}

function readMessageId(request: Request): string {
	const id = messageIdSchema.safeParse(request.params.messageId);
	if (!id.success) throw new HttpError(400, 'invalid-message-id', 'A message id has 12 digits.');
	return id.data;
}

function readWatch<Schema extends z.ZodType>(body: unknown, schema: Schema): z.output<Schema> {
	const parsed = schema.safeParse(body);
	if (parsed.success) return parsed.data;
	const said = parsed.error.issues.map(
		({ path, message }) => `${path.join('.') || 'body'}: ${message}`,
	);
	throw new HttpError(422, 'invalid-watch', `What to watch is not valid. ${said.join('; ')}`, said);
}

function notConfigured(): HttpError {
	const message =
		'This receiver does not know how to reach the delivery service, so it cannot watch letters. Set SERVICE_URL and SERVICE_TOKEN and restart it.';
	return new HttpError(409, 'watching-not-configured', message);
}

function notWatched(): HttpError {
	return new HttpError(404, 'watch-not-found', 'This message is not watched.');
}
