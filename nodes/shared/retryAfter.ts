/**
 * How long the service asks to wait, in milliseconds; negative for a date that is past. Null when it
 * does not say, or nothing that can be read.
 *
 * @param retryAfter the header's value: seconds, or a date of HTTP
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

/**
 * How long the service asks to wait, in words: "5 minutes". Rounded up, so that who waits as long is
 * not too early. Null when it does not say, or nothing sensible.
 *
 * @param retryAfter the header's value: seconds, or a date of HTTP
 * @param now milliseconds since 1970
 */
export function waitInWords(retryAfter: string | null | undefined, now: number): string | null {
	const seconds = (readRetryAfter(retryAfter, now) ?? 0) / 1000;
	if (!(seconds > 0) || seconds > 366 * 86_400) return null;
	const [unit, size] =
		seconds <= 90
			? (['second', 1] as const)
			: seconds <= 90 * 60
				? (['minute', 60] as const)
				: seconds <= 36 * 3600
					? (['hour', 3600] as const)
					: (['day', 86_400] as const);
	const count = Math.ceil(seconds / size);
	return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
