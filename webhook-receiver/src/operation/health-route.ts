import { Router } from 'express';
import type { RequestHandler } from 'express';
import type { Clock } from '../time/clock.ts';
import { HttpError } from '../core/http-error.ts';
import { snapshotOf } from './attend.ts';
import type { Metrics } from './metrics.ts';
import type { Pulls } from '../pull/pulls.ts';
import { StoreUnavailable } from '../store/engine.ts';
import type { Store } from './store.ts';

export interface HealthParts {
	store: Store;
	pulls: Pulls;
	metrics: Metrics;
	clock: Clock;
	/** Whether the receiver is about to stop. */
	isStopping: () => boolean;
}

/** Probes and scrapes must not burden the store: its answers are cached this long. */
const CACHED_MS = 1_000;

/** A store that takes longer is not ready; few probes wait longer for the answer. */
const PATIENCE_MS = 2_000;

/**
 * `/healthz`: the process responds. `/readyz`: the store can write, so events can be accepted, and the
 * receiver is not about to stop. `/metrics`: for Prometheus.
 */
export function healthRoutes(parts: HealthParts): Router {
	const { store, pulls, metrics, clock } = parts;
	const state = cached(async () => {
		const now = clock.now();
		return { ...(await snapshotOf(store, now)), alerts: await recentAlerts(store, now) };
	}, clock);
	const router = Router();

	router.get('/healthz', (_request, response) => {
		response.json({ status: 'ok' });
	});

	const readiness: RequestHandler = async (_request, response) => {
		if (parts.isStopping()) throw new HttpError(503, 'stopping', 'The receiver is about to stop.');
		await inTime(store.check());
		response.json({ status: 'ok' });
	};
	// HAProxy asks by OPTIONS, to which Express alone would say 200.
	router.route('/readyz').get(readiness).options(readiness);

	router.get('/metrics', async (_request, response) => {
		const text = await metrics.text({
			...(await state()),
			at: clock.now(),
			pullsHeld: pulls.open.count,
		});
		response.type(metrics.contentType).send(text);
	});

	return router;
}

const LATELY_MS = 24 * 3_600_000;

/** What needs an operator now, and what was lost within a day. */
async function recentAlerts(store: Store, now: number) {
	const over = await store.attention.over({ limit: 100, before: null });
	const lost = over.filter(({ kind, since }) => kind === 'events-lost' && since > now - LATELY_MS);
	return [...(await store.attention.open()), ...lost];
}

/** @throws StoreUnavailable if there is no answer in time */
async function inTime<T>(answer: Promise<T>): Promise<T> {
	const silence = new StoreUnavailable(new Error(`No answer within ${PATIENCE_MS / 1000} s.`));
	const timer = Promise.withResolvers<never>();
	const timeout = setTimeout(() => timer.reject(silence), PATIENCE_MS);
	try {
		return await Promise.race([answer, timer.promise]);
	} finally {
		clearTimeout(timeout);
	}
}

function cached<T>(ask: () => Promise<T>, clock: Clock): () => Promise<T> {
	let readAt = -Infinity;
	let answer: Promise<T>;
	return () => {
		if (clock.elapsed() - readAt >= CACHED_MS) {
			readAt = clock.elapsed();
			answer = ask();
			answer.catch(() => (readAt = -Infinity));
		}
		return answer;
	};
}
