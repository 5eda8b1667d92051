import { Router } from 'express';
import type { Request, Response } from 'express';
import { z } from 'zod/v4';
import type { PageParts } from './page-parts.ts';
import { setFlash } from './flash.ts';
import { pathOf, shortName } from './workflow-links.ts';

/** The buttons' actions. Each returns to the page it was pressed on, which shows the result. */
export function actionRoutes({ store, pulls, watcher, clock }: PageParts): Router {
	const router = Router();

	router.post('/page/events/:id/replay', async (request, response) => {
		const replay = await store.consumers.replay(request.params.id, clock.now());
		const count = replay?.consumers.length ?? 0;
		if (replay === null) finish(request, response, 'That event is gone: nothing was handed out.');
		else if (count === 0) finish(request, response, 'No workflow wants that event.');
		else finish(request, response, `The event goes out again to ${workflows(count)}.`);
	});

	router.post('/page/deliveries/retry-dead', async (request, response) => {
		const consumer = z.string().nullable().catch(null).parse(request.query.consumer);
		const now = clock.now();
		const count = await store.consumers.retryDead({ consumer, from: null, before: null }, now);
		const [left] = await store.consumers.batches({ state: 'dead', consumer, after: 0, limit: 1 });
		const rest = left === undefined ? '' : ' Others stay dead: their events are gone.';
		const again = count === 1 ? 'One delivery goes' : `${count} deliveries go`;
		finish(request, response, `${again} out again.${rest}`);
	});

	router.post('/page/deliveries/:id/retry', async (request, response) => {
		const again = await store.consumers.retry(request.params.id, clock.now());
		const message =
			again === null
				? 'Nothing was handed out: the events of that delivery or its workflow are gone, or it was already handed out again.'
				: `The delivery goes out again, as number ${again.number}.`;
		finish(request, response, message);
	});

	router.post('/page/watches/retry', async (request, response) => {
		await watcher?.tryAtOnce();
		finish(request, response, 'The delivery service is asked again.');
	});

	router.post('/page/watches/:id/end', async (request, response) => {
		const ended = await store.watching.end(request.params.id, clock.now());
		finish(
			request,
			response,
			ended ? 'This message is no longer watched.' : 'This message was not watched any more.',
		);
	});

	router.post('/page/workflows/:key/forget', async (request, response) => {
		const { key } = request.params;
		const consumer = (await store.consumers.list(clock.now())).find((one) => one.key === key);
		if (consumer?.held) {
			setFlash(request, response, 'An n8n listens for this workflow: unpublish it there first.');
			return response.redirect(303, pathOf(key));
		}
		const name = consumer === undefined ? 'The workflow' : shortName(consumer);
		await pulls.remove(key);
		setFlash(
			request,
			response,
			`${name} is forgotten. What it will not get stands under Attention.`,
		);
		response.redirect(303, '/');
	});

	return router;
}

function finish(request: Request, response: Response, message: string): void {
	setFlash(request, response, message);
	response.redirect(303, cameFrom(request));
}

/** The page that has the form. `Referrer-Policy: no-referrer` hides it, so the form sends it. */
function cameFrom(request: Request): string {
	const { from } = (request.body ?? {}) as { from?: unknown };
	return typeof from === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(from) ? from : '/';
}

function workflows(count: number): string {
	return count === 1 ? 'one workflow' : `${count} workflows`;
}
