import { setTimeout as sleep } from 'node:timers/promises';
import { Router } from 'express';
import type { RequestHandler } from 'express';
import type { Capability, Kernel } from '../../capability.ts';
import { HttpError } from '../../core/http-error.ts';
import { StoreUnavailable } from '../../sql/engine.ts';

/** A store that takes longer is not ready; few probes wait longer for the answer. */
const PATIENCE_MS = 2_000;

/** A check writes, and anybody may ask for one: they share what the last one found for so long. */
const CHECK_COUNTS_MS = 1_000;

/**
 * How long a request that could not be stored makes the receiver not ready, if none was stored since: a
 * balancer sends nothing to a receiver that is not ready, and after this time one request may try again.
 */
const OUTAGE_COUNTS_MS = 5_000;

/** Tells whoever starts or balances receivers whether this one works. */
export const health: Capability = {
	name: 'health',
	start: (kernel) => ({ publicRoutes: healthRoutes(kernel) }),
};

/**
 * `/healthz`: the process responds. `/readyz`: the database can write, so events can be accepted, and the
 * receiver is not about to stop.
 */
function healthRoutes({ config, database, intake, isStopping }: Kernel): Router {
	const router = Router();
	// Whose time counts: events of a rehearsal are worth nothing.
	const rehearsal = config.CLOCK === 'service' ? { clock: config.CLOCK } : {};
	let last = { result: Promise.resolve(), at: -Infinity, isOver: true };

	const check = (): Promise<void> => {
		if (last.isOver && performance.now() - last.at >= CHECK_COUNTS_MS) {
			const result = database.check().finally(() => (begun.isOver = true));
			const begun = { result, at: performance.now(), isOver: false };
			last = begun;
		}
		return last.result;
	};

	router.get('/healthz', (_request, response) => {
		response.json({ status: 'ok' });
	});

	const readiness: RequestHandler = async (_request, response) => {
		if (isStopping()) throw new HttpError(503, 'stopping', 'The receiver is about to stop.');
		await Promise.race([check(), silence()]);
		// A database that has room for a check may have none for an event.
		intake.throwAfterOutage(OUTAGE_COUNTS_MS);
		response.json({ status: 'ok', ...rehearsal });
	};
	// HAProxy asks by OPTIONS, to which Express alone would say 200.
	router.route('/readyz').get(readiness).options(readiness);

	return router;
}

async function silence(): Promise<never> {
	await sleep(PATIENCE_MS, undefined, { ref: false });
	throw new StoreUnavailable(new Error(`No answer within ${PATIENCE_MS / 1000} s.`));
}
