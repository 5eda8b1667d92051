import { X509Certificate } from 'node:crypto';
import type { Logger } from 'pino';
import type { ReceiverConfig } from '../config/read-config.ts';
import type { Clock } from '../time/clock.ts';
import { DueLoop } from '../time/due-loop.ts';

const PAUSE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Those that renew certificates do so 30 days before the end, or a third of their life. */
const SOON_DAYS = 14;

/** What can be made anew of the configuration while the receiver runs. */
export interface Renewable {
	/** The variable with its certificate. */
	name: 'TLS_CERTIFICATE' | 'SERVICE_CLIENT_CERTIFICATE';
	/** What it is made of: nothing is made anew while this stays the same. */
	of(config: ReceiverConfig): unknown;
	use(config: ReceiverConfig): void;
}

interface RenewalParts {
	config: ReceiverConfig;
	/** Reads the files of the configuration again; throws if they have faults. */
	reread: () => ReceiverConfig;
	renewables: readonly Renewable[];
	clock: Clock;
	logger: Logger;
}

/**
 * Each minute uses certificates that were renewed on disk, and each day warns of those that expire
 * soon or have expired.
 */
export function createRenewal({
	config,
	reread,
	renewables,
	clock,
	logger,
}: RenewalParts): DueLoop {
	const texts = new Map(renewables.map((one) => [one, JSON.stringify(one.of(config))]));
	let current = config;
	let fault = '';
	let warnedAt = -Infinity;

	function renew(): void {
		try {
			current = reread();
			fault = '';
		} catch (error) {
			// A certificate and its key are not replaced at the same moment: the next look may fit.
			const { message } = error as Error;
			if (message !== fault) logger.warn(`goes on with what it has read before. ${message}`);
			fault = message;
			return;
		}
		for (const renewable of renewables) {
			const text = JSON.stringify(renewable.of(current));
			if (text === texts.get(renewable)) continue;
			texts.set(renewable, text);
			renewable.use(current);
			warnedAt = -Infinity;
			logger.info(`${renewable.name} was renewed, and is in use`);
		}
	}

	function warn(): void {
		if (clock.elapsed() - warnedAt < DAY_MS) return;
		warnedAt = clock.elapsed();
		for (const { name } of renewables) {
			const pem = current[name];
			if (pem === null) continue;
			const { validToDate } = new X509Certificate(pem);
			const days = (validToDate.getTime() - clock.now()) / DAY_MS;
			const when = validToDate.toISOString();
			if (days <= 0) logger.error(`${name} has expired, at ${when}: replace it`);
			else if (days < SOON_DAYS) logger.warn(`${name} expires soon, at ${when}: replace it`);
		}
	}

	return new DueLoop({
		clock,
		async work() {
			renew();
			warn();
			return PAUSE_MS;
		},
		onError: (error) => logger.error({ err: error }, 'looking at certificates failed'),
	});
}
