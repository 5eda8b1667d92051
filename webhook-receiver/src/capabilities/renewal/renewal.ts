import { X509Certificate } from 'node:crypto';
import type { Capability, Kernel } from '../../capability.ts';
import { DueLoop } from '../../time/due-loop.ts';

const PAUSE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Those that renew certificates do so 30 days before the end, or a third of their life. */
const SOON_DAYS = 14;

/** The variables with certificates, and what each is used with: nothing is made anew while these stay the same. */
const RENEWED = {
	TLS_CERTIFICATE: ['TLS_CERTIFICATE', 'TLS_KEY'],
	SERVICE_CLIENT_CERTIFICATE: [
		'SERVICE_URL',
		'SERVICE_TOKEN',
		'SERVICE_CLIENT_CERTIFICATE',
		'SERVICE_CLIENT_KEY',
		'SERVICE_CLIENT_PASSPHRASE',
		'SERVICE_CA',
	],
} as const;
const NAMES = Object.keys(RENEWED) as Array<keyof typeof RENEWED>;

/**
 * Each minute uses certificates that were renewed on disk, and each day warns of those that expire
 * soon or have expired.
 */
export const renewal: Capability = {
	name: 'renewal',
	start(kernel) {
		const loop = looking(kernel);
		loop.wake();
		return { stop: () => loop.stop() };
	},
};

function looking({ config, reread, renew: use, clock, logger }: Kernel): DueLoop {
	let current = config;
	let fault = '';
	let warnedAt = -Infinity;

	function renew(): void {
		const before = current;
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
		const renewed = NAMES.filter((name) =>
			RENEWED[name].some((one) => String(current[one]) !== String(before[one])),
		);
		if (renewed.length === 0) return;
		use(current);
		warnedAt = -Infinity;
		for (const name of renewed) logger.info(`${name} was renewed, and is in use`);
	}

	function warn(): void {
		if (clock.elapsed() - warnedAt < DAY_MS) return;
		warnedAt = clock.elapsed();
		for (const name of NAMES) {
			const pem = current[name];
			if (pem === null) continue;
			const { validToDate } = new X509Certificate(pem);
			const days = (validToDate.getTime() - clock.wall()) / DAY_MS;
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
