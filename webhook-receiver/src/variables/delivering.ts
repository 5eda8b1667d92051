import { parseTarget } from '../target-guard.ts';
import { duration, durations, integer, list } from './schemas.ts';

/** How events reach the subscriptions. */
export const DELIVERING = {
	ALLOWED_TARGETS: {
		schema: list
			.refine((targets) => targets.every(isTarget), 'has one that is not host[:port]')
			.prefault(''),
		help: 'where events may be sent, comma-separated: host, host:port, * for any public host',
	},
	RETRY_DELAYS: {
		schema: durations.prefault('5s,5m,30m,2h,5h,10h,14h,20h,24h'),
		help: 'pauses between attempts (5s,5m,30m,2h,5h,10h,14h,20h,24h); then a delivery is dead',
	},
	DELIVERY_TIMEOUT: {
		schema: duration.prefault('15s'),
		help: 'how long a target may take to answer (15s)',
	},
	DELIVERY_CONCURRENCY: {
		schema: integer(1, 100).prefault('4'),
		help: 'requests at once to one subscription (4)',
	},
} as const;

function isTarget(entry: string): boolean {
	if (entry === '*') return true;
	try {
		parseTarget(entry);
		return true;
	} catch {
		return false;
	}
}
