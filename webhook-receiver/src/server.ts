import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import type { ReceiverConfig } from './config.ts';
import { Deliverer } from './deliver/deliverer.ts';
import { gracefulStop } from './graceful-server.ts';
import { createHttpServer } from './http-server.ts';
import { keepHouse } from './housekeeping.ts';
import { createLogger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { createSender } from './post.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';
import { createTargetGuard } from './target-guard.ts';
import { createVerifiers } from './verifiers/create.ts';
import { Waiter } from './wait/waiter.ts';
import { createWatching } from './watch/start.ts';

/** What tests pass in place of the world. */
export interface Dependencies {
	clock?: Clock;
	logger?: Logger;
	/** From 0 to 1, for the jitter of retries. */
	random?: () => number;
	/** Already open; closed with the receiver. */
	store?: Store;
}

export interface Receiver {
	url: string;
	/** Stops accepting, finishes what was accepted, closes the store. Safe to call twice. */
	close(): Promise<void>;
}

/** Starts a receiver: the way in for `main.ts`, tests and the demo. */
export async function startReceiver(
	config: ReceiverConfig,
	dependencies: Dependencies = {},
): Promise<Receiver> {
	const clock = dependencies.clock ?? systemClock;
	const logger = dependencies.logger ?? createLogger(config.logLevel);
	const random = dependencies.random ?? Math.random;
	const verifiers = createVerifiers(config.ingest);

	const storeConfig = { ...config, deliveryTimeoutMs: config.delivery.timeoutMs };
	const store = dependencies.store ?? (await openStore(storeConfig, logger));
	const metrics = createMetrics(clock);
	const guard = createTargetGuard(config.allowedTargets);
	const sender = createSender(guard, config.delivery.timeoutMs);
	const deliverer = new Deliverer(config.delivery, {
		...{ store, sender, clock, logger, metrics, random },
	});
	const waiter = new Waiter({ store, sender, clock, logger, metrics, random });
	const watching = createWatching(config.watching, { store, deliverer, clock, logger, metrics });
	const app = createApp({
		...config.ingest,
		verifiers,
		trustedProxies: config.trustedProxies,
		dedup: config.dedup,
		managementToken: config.managementToken,
		store,
		deliverer,
		waiter,
		watching,
		metrics,
		readyBacklogMs: config.readyBacklogMs,
		guard,
		clock,
		logger,
	});
	const server = createHttpServer(config.tls, app);
	const stopServing = gracefulStop(server);

	try {
		await listen(server, config.port, config.host);
	} catch (error) {
		await store.close();
		throw error;
	}
	const stopHousekeeping = keepHouse(config.retention, { store, clock, logger });
	await deliverer.resume();
	waiter.wake();
	watching?.watcher.wake();

	const stop = async () => {
		stopHousekeeping();
		await stopServing(config.stopTimeoutMs);
		await watching?.watcher.stop();
		await Promise.all([deliverer.stop(), waiter.stop()]);
		await sender.close();
		await store.close();
		logger.info('stopped');
	};
	let stopping: Promise<void> | undefined;
	const url = urlOf(server, config);
	logger.info({ url, authentication: verifiers.map(({ scheme }) => scheme) }, 'listening');
	return { url, close: () => (stopping ??= stop()) };
}

function listen(server: Server, port: number, host: string): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, host, () => {
			server.removeListener('error', reject);
			resolve();
		});
	});
}

function urlOf(server: Server, { host, tls }: ReceiverConfig): string {
	const { port } = server.address() as AddressInfo;
	return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
