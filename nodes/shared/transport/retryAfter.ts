/**
 * How long the service asks to wait, in milliseconds; negative for a date in the past. Null when it does
 * not say, or says nothing readable.
 *
 * @param retryAfter the header's value: seconds, or an HTTP date
 * @param now milliseconds since 1970
 */
export function readRetryAfter(retryAfter: string | null | undefined, now: number): number | null {
	const text = retryAfter?.trim() ?? '';
	// Date.parse finds a date in "-3" and "1.5" too, so words must be in it.
	const isDate = /[a-z]/i.test(text);
	const isSeconds = /^\d+(?:\.\d+)?$/.test(text);
	const wait = isDate ? Date.parse(text) - now : isSeconds ? Number(text) * 1000 : NaN;
	return Number.isNaN(wait) ? null : wait;
}

const UNITS = [
	{ name: 'second', seconds: 1, upTo: 90 },
	{ name: 'minute', seconds: 60, upTo: 90 * 60 },
	{ name: 'hour', seconds: 3600, upTo: 36 * 3600 },
	{ name: 'day', seconds: 86_400, upTo: 366 * 86_400 },
];

/**
 * The same in words, "5 minutes", rounded up so that nobody comes back too early. Null also for a time
 * that is past, or more than a year away.
 */
export function waitInWords(retryAfter: string | null | undefined, now: number): string | null {
	const wait = (readRetryAfter(retryAfter, now) ?? 0) / 1000;
	const unit = UNITS.find(({ upTo }) => wait <= upTo);
	if (!(wait > 0) || !unit) return null;
	const count = Math.ceil(wait / unit.seconds);
	return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
