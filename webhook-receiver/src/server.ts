import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { systemClock } from './time/clock.ts';
import type { Clock } from './time/clock.ts';
import type { ReceiverConfig } from './config/read-config.ts';
import { gracefulStop } from './http/graceful-server.ts';
import { createHttpServer, listen, renewTls } from './http/http-server.ts';
import type { TlsConfig } from './http/http-server.ts';
import { createAttendant } from './operation/attend.ts';
import { createHousekeeping } from './operation/housekeeping.ts';
import { createLogger } from './operation/logger.ts';
import { createMetrics } from './operation/metrics.ts';
import { createRenewal } from './operation/renewal.ts';
import { Pulls } from './pull/pulls.ts';
import { openStore } from './operation/store.ts';
import { Use } from './operation/use.ts';
import type { Store } from './operation/store.ts';
import type { Verifier } from './core/verify.ts';
import { createVerifiers } from './ingest/verifiers/create.ts';
import { createWaiter } from './wait/waiter.ts';
import { createWatcher } from './watch/watcher.ts';
import type { WatcherConfig } from './watch/watcher.ts';

/** What tests replace. */
export interface Dependencies {
	clock?: Clock;
	logger?: Logger;
	/** Reads the files of the configuration again, since certificates are renewed; default: never. */
	reread?: () => ReceiverConfig;
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
	const logger = dependencies.logger ?? createLogger(config.LOG_LEVEL);
	const verifiers = createVerifiers(config, clock.elapsed);
	const store = await openStore(config, logger);
	try {
		const { reread = () => config } = dependencies;
		return await serve(config, { clock, logger, verifiers, store, reread });
	} catch (error) {
		// Its connections would keep the process alive.
		await store.close();
		throw error;
	}
}

interface Parts extends Required<Dependencies> {
	store: Store;
	verifiers: Verifier[];
}

async function serve(
	config: ReceiverConfig,
	{ clock, logger, verifiers, store, reread }: Parts,
): Promise<Receiver> {
	const unreadable = await store.waits.reseal();
	if (unreadable > 0) {
		logger.error(
			{ executions: unreadable },
			'executions sleep whose wake-ups are encrypted with a key that is not here: add it to ENCRYPTION_KEY, or put the key file back beside DATABASE_FILE, and restart',
		);
	}
	const metrics = createMetrics();
	const watching = watchingOf(config);
	const watcher = watching && createWatcher(watching, { store, clock, logger, metrics });
	const pulls = new Pulls({ store, clock, logger, metrics, watching: watcher !== null });
	const waiter = createWaiter({ store, clock, logger, metrics });
	store.listen({
		onEvents: (events) => pulls.open.onEvents(events),
		onQueue: (key) => pulls.open.onQueue(key),
		onWaits: () => waiter.wake(),
		onPolls: () => watcher?.onPolls(),
		isWaiting: () => pulls.open.isWaiting(),
		onMissed() {
			pulls.open.onMissed();
			waiter.wake();
			watcher?.onPolls();
		},
	});
	const use = new Use(clock, () => pulls.open.isWaiting());
	const { isIdle } = use;
	const attendant = createAttendant({
		store,
		clock,
		logger,
		watches: watcher !== null,
		limits: config.LETTER_LIMIT,
		isIdle,
	});
	const keepMs = { events: config.RETENTION, letters: config.LETTERS_RETENTION };
	const housekeeping = createHousekeeping(keepMs, { store, clock, logger, isIdle });
	let stopping: Promise<void> | undefined;
	const app = createApp({
		config,
		verifiers,
		store,
		pulls,
		waiter,
		watcher,
		metrics,
		isStopping: () => stopping !== undefined,
		onUse() {
			if (use.note()) for (const loop of [attendant, housekeeping]) loop.wake();
		},
		clock,
		logger,
	});
	const server = createHttpServer(tlsOf(config), app);
	const stopServing = gracefulStop(server);

	await listen(server, config.HOST, config.PORT);
	const renewal = createRenewal({
		config,
		reread,
		clock,
		logger,
		renewables: [
			{
				name: 'TLS_CERTIFICATE',
				of: tlsOf,
				use: (fresh) => renewTls(server, tlsOf(fresh)),
			},
			{
				name: 'SERVICE_CLIENT_CERTIFICATE',
				of: watchingOf,
				use(fresh) {
					const renewed = watchingOf(fresh);
					if (renewed !== null) watcher?.renew(renewed.service);
				},
			},
		],
	});
	const loops = [housekeeping, attendant, waiter, renewal];
	for (const loop of loops) loop.wake();
	watcher?.wake();

	const stop = async () => {
		await sleep(config.STOP_DELAY);
		const served = stopServing(config.STOP_TIMEOUT);
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

/** Null: no service to poll is configured, so nothing can be watched. */
function watchingOf(config: ReceiverConfig): WatcherConfig | null {
	const { SERVICE_URL: url, SERVICE_TOKEN: token } = config;
	if (url === null || token === null) return null;
	return {
		service: {
			url,
			token,
			certificate: config.SERVICE_CLIENT_CERTIFICATE,
			key: config.SERVICE_CLIENT_KEY,
			passphrase: config.SERVICE_CLIENT_PASSPHRASE,
			ca: config.SERVICE_CA.map(String).join('') || null,
		},
		pollsPerMinute: config.WATCH_RATE_LIMIT,
		delays: config.WATCH_DELAYS,
		limitMs: config.WATCH_LIMIT,
	};
}

/** Null to serve plain HTTP. */
function tlsOf(config: ReceiverConfig): TlsConfig | null {
	const { TLS_CERTIFICATE: certificate, TLS_KEY: key } = config;
	return certificate === null || key === null ? null : { certificate, key };
}

function urlOf(server: Server, { HOST: host, TLS_CERTIFICATE: tls }: ReceiverConfig): string {
	const { port } = server.address() as AddressInfo;
	return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
