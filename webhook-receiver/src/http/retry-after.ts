/** Reads `Retry-After`, seconds or an HTTP date, into milliseconds from now; null if it is neither. */
export function readRetryAfter(header: string | undefined, now: number): number | null {
	if (header === undefined) return null;
	if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
	// Without words in it, Date.parse makes a date of "-3" and "7200.5" too.
	const time = /[a-z]/i.test(header) ? Date.parse(header) : NaN;
	return Number.isNaN(time) ? null : Math.max(time - now, 0);
}
