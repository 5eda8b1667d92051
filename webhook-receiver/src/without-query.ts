/** A URL fit for the log: queries may carry secrets. */
export function withoutQuery(url: string): string {
	return url.replace(/[?#].*$/s, '');
}
