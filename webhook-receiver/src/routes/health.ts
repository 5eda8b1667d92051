import { Router } from 'express';
import type { Clock } from '../clock.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { HttpError } from '../http-error.ts';
import { oldestAgeMs, rememberedBacklog, rememberedWatching } from '../metrics.ts';
import type { Metrics } from '../metrics.ts';
import type { Store } from '../store/store.ts';

export interface HealthParts {
	store: Store;
	deliverer: Deliverer;
	metrics: Metrics;
	clock: Clock;
	/** Not ready while the oldest undelivered event is older; null for never mind. */
	readyBacklogMs: number | null;
}

/**
 * `/healthz`: the process answers. `/readyz`: the store can write, so events can be accepted, and
 * the backlog is no older than the operator allows. `/metrics`: for Prometheus.
 */
export function healthRoutes(parts: HealthParts): Router {
	const { store, deliverer, metrics, clock, readyBacklogMs } = parts;
	const backlog = rememberedBacklog(store, clock);
	const watching = rememberedWatching(store, clock);
	const router = Router();

	router.get('/healthz', (_request, response) => {
		response.json({ status: 'ok' });
	});

	router.get('/readyz', async (_request, response) => {
		await store.check();
		const ageMs = oldestAgeMs(await backlog(), clock.now());
		const oldestUndeliveredSeconds = Math.round(ageMs / 1000);
		if (readyBacklogMs !== null && ageMs > readyBacklogMs) {
			throw new HttpError(503, 'backlog-too-old', 'Events wait longer than READY_BACKLOG allows.', {
				oldestUndeliveredSeconds,
			});
		}
		response.json({ status: 'ok', oldestUndeliveredSeconds });
	});

	router.get('/metrics', async (_request, response) => {
		const state = {
			backlog: await backlog(),
			watching: await watching(),
			breakers: deliverer.breakers(),
		};
		response.type(metrics.contentType).send(await metrics.text(state));
	});

	return router;
}
