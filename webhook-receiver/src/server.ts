import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { systemClock } from './time/clock.ts';
import type { Clock } from './time/clock.ts';
import type { ReceiverConfig } from './config/read-config.ts';
import { gracefulStop } from './http/graceful-server.ts';
import { createHttpServer } from './http/http-server.ts';
import { createAttendant } from './operation/attend.ts';
import { createClockWatch } from './operation/clock-watch.ts';
import { createHousekeeping } from './operation/housekeeping.ts';
import { createLogger } from './operation/logger.ts';
import { createMetrics } from './operation/metrics.ts';
import { Pulls } from './pull/pulls.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';
import type { Verifier } from './core/verify.ts';
import { createVerifiers } from './ingest/verifiers/create.ts';
import { createWaiter } from './wait/waiter.ts';
import { createWatcher } from './watch/watcher.ts';

/** What tests replace. */
export interface Dependencies {
	clock?: Clock;
	logger?: Logger;
	/** Already open; closed with the receiver. */
	store?: Store;
}

export interface Receiver {
	url: string;
	/** Accepts nothing more, finishes what it has accepted, closes the store. Safe to call twice. */
	close(): Promise<void>;
}

/** Starts a receiver: the way in for `main.ts`, tests and the demo. */
export async function startReceiver(
	config: ReceiverConfig,
	dependencies: Dependencies = {},
): Promise<Receiver> {
	const clock = dependencies.clock ?? systemClock;
	const logger = dependencies.logger ?? createLogger(config.logLevel);
	const verifiers = createVerifiers(config.ingest, clock.elapsed);
	const store = dependencies.store ?? (await openStore(config, logger));
	try {
		return await serve(config, { clock, logger, verifiers, store });
	} catch (error) {
		// Its connections would keep the process alive.
		await store.close();
		throw error;
	}
}

interface Parts extends Required<Dependencies> {
	verifiers: Verifier[];
}

async function serve(
	config: ReceiverConfig,
	{ clock, logger, verifiers, store }: Parts,
): Promise<Receiver> {
	const locked = await store.waits.reseal();
	if (locked > 0) {
		logger.error(
			{ executions: locked },
			'executions sleep whose wake-ups are encrypted with a key that is not here: add it to ENCRYPTION_KEY, or put the key file back beside DATABASE_FILE, and restart',
		);
	}
	const metrics = createMetrics();
	const watcher =
		config.watching && createWatcher(config.watching, { store, clock, logger, metrics });
	const pulls = new Pulls({ store, clock, logger, metrics, watching: watcher !== null });
	const waiter = createWaiter({ store, clock, logger });
	store.listen({
		onEvents: (events) => pulls.onEvents(events),
		onConsumer: (key) => pulls.onConsumer(key),
		onWakeUps: (instance) => pulls.onWakeUps(instance),
		onWaits: () => waiter.wake(),
		onPolls: () => watcher?.onPolls(),
	});
	let stopping: Promise<void> | undefined;
	const app = createApp({
		...config.ingest,
		verifiers,
		trustedProxies: config.trustedProxies,
		dedup: config.dedup,
		managementTokens: config.managementTokens,
		store,
		pulls,
		waiter,
		watcher,
		metrics,
		isStopping: () => stopping !== undefined,
		readyBacklogMs: config.readyBacklogMs,
		erasedMs: config.erasedMs,
		clock,
		logger,
	});
	const server = createHttpServer(config.tls, app);
	const stopServing = gracefulStop(server);

	await once(server.listen(config.port, config.host), 'listening').catch((error: Error) => {
		const where = `HOST ${config.host} and PORT ${config.port}`;
		throw new Error(`${where} can't be listened on: ${error.message}`, { cause: error });
	});
	const attendant = createAttendant({ store, clock, logger, watches: watcher !== null });
	const housekeeping = createHousekeeping(config.retention, { store, clock, logger });
	const clockWatch = createClockWatch({
		...{ store, clock, logger, dedupWindowMs: config.dedup.bodyWindowMs },
		onSetBack() {
			waiter.wake();
			watcher?.wake();
		},
	});
	const loops = [clockWatch, housekeeping, attendant, waiter];
	for (const loop of loops) loop.wake();
	watcher?.wake();

	const stop = async () => {
		await sleep(config.stopDelayMs);
		const served = stopServing(config.stopTimeoutMs);
		pulls.stop();
		await served;
		await watcher?.stop();
		await Promise.all(loops.map((loop) => loop.stop()));
		await store.close();
		logger.info('stopped');
	};
	const url = urlOf(server, config);
	logger.info({ url, authentication: verifiers.map(({ scheme }) => scheme) }, 'listening');
	return { url, close: () => (stopping ??= stop()) };
}

function urlOf(server: Server, { host, tls }: ReceiverConfig): string {
	const { port } = server.address() as AddressInfo;
	return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
