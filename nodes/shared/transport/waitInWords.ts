import { readRetryAfter } from '../../../webhook-receiver/src/core/retry-after';

const UNITS = [
	{ name: 'second', seconds: 1, upTo: 90 },
	{ name: 'minute', seconds: 60, upTo: 90 * 60 },
	{ name: 'hour', seconds: 3600, upTo: 36 * 3600 },
	{ name: 'day', seconds: 86_400, upTo: 366 * 86_400 },
];

/**
 * How long the service asks to wait, in words: "5 minutes", rounded up so that nobody comes back too early.
 * Null also for a time that is past, or more than a year away.
 */
export function waitInWords(retryAfter: string | null | undefined, now: number): string | null {
	const wait = (readRetryAfter(retryAfter, now) ?? 0) / 1000;
	const unit = UNITS.find(({ upTo }) => wait <= upTo);
	if (!(wait > 0) || !unit) return null;
	const count = Math.ceil(wait / unit.seconds);
	return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
