import { Router } from 'express';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { z } from 'zod/v4';
import type { ListName } from '../core/lists.ts';
import { checkMessageId, readQuery } from '../http/routes.ts';
import { RECOGNISED_MS } from '../records/record-rows.ts';
import { iso } from '../time/iso.ts';
import type { Metrics } from './metrics.ts';
import { LISTS, SUBJECTS } from '../core/lists.ts';
import type { Erasable } from './erase.ts';
import type { Store } from './store.ts';
import type { Clock } from '../time/clock.ts';
import type { DueLoop } from '../time/due-loop.ts';

export interface ErasureParts {
	store: Store;
	waiter: DueLoop;
	metrics: Metrics;
	clock: Clock;
	logger: Logger;
}

const reference = z.string().min(1).max(500);
const referenceSchema = z.union(
	[
		z.object({ fileReference: reference }).strict(),
		z.object({ customerReference: reference }).strict(),
	],
	'name the letters by fileReference or by customerReference',
);

/**
 * `/letters`: what is known of a letter beside its events; erases letters, consents and customers, and
 * discards what comes of them later.
 */
export function erasureRoutes(parts: ErasureParts): Router {
	const { store } = parts;
	const router = Router();
	router.param('messageId', checkMessageId);

	router.get('/letters/:messageId', async (request, response) => {
		const { messageId } = request.params;
		const { record, watch, erasedUntil } = await store.records.get(messageId);
		response.json({
			messageId,
			watch,
			changes: (record?.changes ?? []).map(({ eventId, type, at, mark }) => ({
				eventId,
				type,
				at: iso(at),
				hasWebhook: mark !== null,
			})),
			erasedUntil: iso(erasedUntil),
		});
	});

	router.delete(['/letters', '/letters/:messageId'], async (request, response) => {
		// Neither log names the letters.
		response.locals.log = { path: '/letters' };
		response.json({ erased: await erase(readLetters(request), 'letters', parts) });
	});

	for (const list of LISTS) {
		router.delete(`/${list}/:id`, async (request, response) => {
			response.locals.log = { path: `/${list}` };
			const what = { [`${SUBJECTS[list]}Id`]: request.params.id.toLowerCase() } as Erasable;
			response.json({ erased: await erase(what, list, parts) });
		});
	}

	return router;
}

async function erase(
	what: Erasable,
	kind: 'letters' | ListName,
	{ store, waiter, metrics, clock, logger }: ErasureParts,
): Promise<string[]> {
	const erased = await store.erase(what, clock.now() + RECOGNISED_MS);
	metrics.countErased(erased.length);
	logger.info({ [kind]: erased.length }, 'erased');
	// Executions may sleep for them.
	waiter.wake();
	return erased;
}

function readLetters(request: Request<{ messageId?: string }>): Erasable {
	const { messageId } = request.params;
	return messageId === undefined ? readQuery(request, referenceSchema) : { messageId };
}
