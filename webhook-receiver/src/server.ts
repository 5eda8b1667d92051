import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { attention } from './capabilities/attention/attention.ts';
import { backup } from './capabilities/backup/backup.ts';
import { claims } from './capabilities/claims/claims.ts';
import { erasure } from './capabilities/erasure/erasure.ts';
import { health } from './capabilities/health/health.ts';
import { history } from './capabilities/history/history.ts';
import { letters } from './capabilities/letters/letters.ts';
import { metrics } from './capabilities/metrics/metrics.ts';
import { page } from './capabilities/page/page.ts';
import { renewal } from './capabilities/renewal/renewal.ts';
import { retention } from './capabilities/retention/retention.ts';
import { waits } from './capabilities/waits/waits.ts';
import { watching } from './capabilities/watching/watching.ts';
import type { Capability, Running } from './capability.ts';
import type { ReceiverConfig } from './config/read-config.ts';
import type { Verifier } from './core/verify.ts';
import { gracefulStop, createHttpServer, listen, renewTls } from './http/server.ts';
import type { TlsConfig } from './http/server.ts';
import { chooseClock } from './rehearsal/sandbox-time.ts';
import type { ChosenClock } from './rehearsal/sandbox-time.ts';
import { createKernel, schemasOf } from './kernel.ts';
import { createVerifiers } from './verifiers/create.ts';
import { createLogger } from './logger.ts';
import { Loops } from './loops.ts';
import { openDatabase } from './engines/open-database.ts';
import type { Engine } from './sql/engine.ts';
import type { Clock } from './time/clock.ts';

/** What the receiver can do beside taking in events and handing them out: each can be left out. */
export const CAPABILITIES: readonly Capability[] = [
	health,
	history,
	watching,
	waits,
	claims,
	letters,
	attention,
	erasure,
	retention,
	metrics,
	backup,
	page,
	renewal,
];

/** What tests replace. */
export interface Dependencies {
	clock?: Clock;
	logger?: Logger;
	/** Reads the files of the configuration again, since certificates are renewed; default: never. */
	reread?: () => ReceiverConfig;
	capabilities?: readonly Capability[];
}

export interface Receiver {
	url: string;
	/** Accepts nothing more, finishes what it has accepted, closes the database. Safe to call twice. */
	close(): Promise<void>;
}

/** Starts a receiver: the way in for `main.ts`, tests and the demo. */
export async function startReceiver(
	config: ReceiverConfig,
	dependencies: Dependencies = {},
): Promise<Receiver> {
	const { capabilities = CAPABILITIES, reread = () => config } = dependencies;
	const { logger = createLogger(config.LOG_LEVEL) } = dependencies;
	const chosen = await chooseClock(config, logger);
	const { clock = chosen.clock } = dependencies;
	const started: Started[] = [];
	let database: Engine | undefined;
	try {
		const verifiers = createVerifiers(config, clock.elapsed);
		database = await openDatabase(config, schemasOf(capabilities), logger);
		const parts = { config, clock, chosen, logger, reread, capabilities, verifiers, database };
		return await serve(parts, started);
	} catch (error) {
		// Connections and timers would keep the process alive.
		await Promise.all(started.map((one) => one.stop?.()));
		await Promise.all([database?.close(), chosen.stop()]);
		throw error;
	}
}

type Started = Running & { name: string };

interface Parts extends Required<Dependencies> {
	config: ReceiverConfig;
	chosen: ChosenClock;
	database: Engine;
	verifiers: Verifier[];
}

/** @param started is filled with the capabilities as they start */
async function serve(
	{ config, clock, chosen, logger, reread, capabilities, verifiers, database }: Parts,
	started: Started[],
): Promise<Receiver> {
	const server = createHttpServer(tlsOf(config));
	let stopping: Promise<void> | undefined;
	const kernel = createKernel(
		{
			config,
			clock,
			logger,
			database,
			reread,
			renew(fresh) {
				renewTls(server, tlsOf(fresh));
				for (const { renew } of [chosen, ...started]) renew?.(fresh);
			},
			wake: () => loops.wake(),
			isStopping: () => stopping !== undefined,
		},
		started,
	);
	const { open: pulls } = kernel.pulls;
	for (const { name, start } of capabilities) started.push({ ...(await start(kernel)), name });
	const loops = new Loops(
		started.flatMap(({ name, lead }) => (lead === undefined ? [] : [{ name, lead }])),
		{ clock, logger },
	);
	const onWants = () => {
		for (const one of started) one.onWants?.();
		loops.wake();
	};
	database.listen({
		onEvents: (events) => pulls.onEvents(events),
		onQueue: (key) => pulls.onQueue(key),
		onDue: () => loops.wake(),
		onWants,
		onMissed() {
			pulls.onMissed();
			onWants();
		},
		isWaiting: () => pulls.isWaiting(),
	});
	server.on('request', createApp(kernel, verifiers));
	const stopServing = gracefulStop(server);

	await listen(server, config.HOST, config.PORT);
	database.lead(loops);

	const stop = async () => {
		await sleep(config.STOP_DELAY);
		const served = stopServing(config.STOP_TIMEOUT);
		kernel.pulls.stop();
		await served;
		await Promise.all([loops.stop(), ...started.map((one) => one.stop?.())]);
		await kernel.intake.idle();
		await Promise.all([database.close(), chosen.stop()]);
		logger.info('stopped');
	};
	const url = urlOf(server, config);
	logger.info({ url, authentication: verifiers.map(({ scheme }) => scheme) }, 'listening');
	return { url, close: () => (stopping ??= stop()) };
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
