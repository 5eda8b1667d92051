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
