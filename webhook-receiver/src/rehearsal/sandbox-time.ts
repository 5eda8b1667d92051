import type { Logger } from 'pino';
import { request } from 'undici';
import type { EnvHttpProxyAgent } from 'undici';
import { z } from 'zod/v4';
import { ConfigError } from '../config/read-config.ts';
import type { ReceiverConfig } from '../config/read-config.ts';
import { systemClock } from '../time/clock.ts';
import type { Clock } from '../time/clock.ts';
import { ServiceClock } from './service-clock.ts';
import type { ServiceTime } from './service-clock.ts';
import { jsonIn, serviceAgent, serviceIn } from '../outgoing/service-agent.ts';

/** How often the sandbox is asked: a person who has moved its time waits for what comes of it. */
const FOLLOW_MS = 500;
const ANSWER_MS = 10_000;
/** A sandbox that restarts is not worth a word. */
const AWAY_MS = 10_000;

/** What a sandbox alone answers: the service has no such path, and nothing else says of itself what it is. */
const sandboxSchema = z.object({
	now: z.iso.datetime().transform((text) => Date.parse(text)),
	frozen: z.boolean(),
	sandbox: z.literal(true),
});

/** The clock that `CLOCK` names, and how to let go of it. */
export interface ChosenClock {
	clock: Clock;
	/** Certificates were renewed on disk. */
	renew(config: ReceiverConfig): void;
	stop(): Promise<void>;
}

/** @throws ConfigError where the service is to tell the time, and is no sandbox */
export async function chooseClock(config: ReceiverConfig, logger: Logger): Promise<ChosenClock> {
	const service = config.CLOCK === 'service' ? serviceIn(config) : null;
	if (service === null) {
		return { clock: systemClock, renew: () => undefined, stop: () => Promise.resolve() };
	}
	const { url } = service;
	let agent = serviceAgent(service, 1);
	const first = await timeOf(url, agent).catch(async (error: unknown) => {
		await agent.destroy();
		throw new ConfigError([
			`CLOCK: service is for a rehearsal with a sandbox, and SERVICE_URL does not say that it is one: ${(error as Error).message}`,
		]);
	});
	const clock = new ServiceClock(systemClock, first);
	logger.info(
		{ now: new Date(first.now).toISOString() },
		'this is a rehearsal: time is that of the sandbox at SERVICE_URL, and can be moved there',
	);
	let cancel = () => undefined as void;
	let isStopped = false;
	let awaySince: number | null = null;
	let isTold = false;

	async function follow(): Promise<void> {
		const askedAt = clock.elapsed();
		try {
			const time = await timeOf(url, agent);
			if (isStopped) return;
			clock.hear(time, askedAt);
			if (isTold) logger.info('the sandbox tells the time again');
			awaySince = null;
			isTold = false;
		} catch (error) {
			awaySince ??= askedAt;
			if (!isTold && !isStopped && clock.elapsed() - awaySince > AWAY_MS) {
				isTold = true;
				const { message } = error as Error;
				logger.warn(
					`the sandbox does not tell the time, which runs on from where it was: ${message}`,
				);
			}
		}
		plan();
	}

	function plan(): void {
		if (!isStopped) cancel = clock.after(FOLLOW_MS, () => void follow());
	}

	plan();
	return {
		clock,
		renew(fresh) {
			const renewed = serviceIn(fresh);
			if (renewed === null) return;
			void agent.close();
			agent = serviceAgent(renewed, 1);
		},
		async stop() {
			isStopped = true;
			cancel();
			await agent.destroy();
		},
	};
}

/** @throws Error that says what else it is */
async function timeOf(url: string, dispatcher: EnvHttpProxyAgent): Promise<ServiceTime> {
	const { statusCode, body } = await request(`${url}/_sandbox/clock`, {
		dispatcher,
		headers: { accept: 'application/json' },
		signal: AbortSignal.timeout(ANSWER_MS),
	});
	const text = await body.text();
	const said = statusCode === 200 ? sandboxSchema.safeParse(jsonIn(text)).data : undefined;
	if (said !== undefined) return said;
	throw new Error(`GET /_sandbox/clock was answered ${statusCode}, without a sandbox's time`);
}
