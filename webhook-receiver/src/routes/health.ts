import { Router } from 'express';
import type { Clock } from '../clock.ts';
import { HttpError } from '../http-error.ts';
import { oldestWaitingMs, rememberedConsumers, rememberedWatching } from '../metrics.ts';
import type { Metrics } from '../metrics.ts';
import type { Pulls } from '../pull/pulls.ts';
import type { Store } from '../store/store.ts';

export interface HealthParts {
	store: Store;
	pulls: Pulls;
	metrics: Metrics;
	clock: Clock;
	/** Not ready while an event waits longer for an n8n that pulls; null for never mind. */
	readyBacklogMs: number | null;
}

/**
 * `/healthz`: the process answers. `/readyz`: the store can write, so events can be accepted, and no
 * event waits longer than the operator allows. `/metrics`: for Prometheus.
 */
export function healthRoutes(parts: HealthParts): Router {
	const { store, pulls, metrics, clock, readyBacklogMs } = parts;
	const consumers = rememberedConsumers(store, clock);
	const watching = rememberedWatching(store, clock);
	const router = Router();

	router.get('/healthz', (_request, response) => {
		response.json({ status: 'ok' });
	});

	router.get('/readyz', async (_request, response) => {
		await store.check();
		const ageMs = oldestWaitingMs(await consumers(), clock.now());
		const oldestWaitingSeconds = Math.round(ageMs / 1000);
		if (readyBacklogMs !== null && ageMs > readyBacklogMs) {
			throw new HttpError(503, 'backlog-too-old', 'Events wait longer than READY_BACKLOG allows.', {
				oldestWaitingSeconds,
			});
		}
		response.json({ status: 'ok', oldestWaitingSeconds });
	});

	router.get('/metrics', async (_request, response) => {
		const state = {
			consumers: await consumers(),
			watching: await watching(),
			pullsHeld: pulls.count,
		};
		response.type(metrics.contentType).send(await metrics.text(state));
	});

	return router;
}
