/**
 * How long the service asks to wait, in words: "5 minutes". Rounded up, so that who waits as long is
 * not too early. Null when it does not say, or nothing sensible.
 *
 * @param retryAfter the header's value: seconds, or a date of HTTP
 * @param now milliseconds since 1970
 */
export function waitInWords(retryAfter: string | null | undefined, now: number): string | null {
	const text = retryAfter?.trim() ?? '';
	const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (dateOf(text) - now) / 1000;
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

// Date.parse finds a date in "-3" and "1.5" too, so words must be in it.
function dateOf(text: string): number {
	return /[a-z]/i.test(text) ? Date.parse(text) : NaN;
}
