/** Makes a URL safe to log: its query may carry secrets. */
export function withoutQuery(url: string): string {
	return url.replace(/[?#].*$/s, '');
}
