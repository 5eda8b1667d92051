/**
 * The service's address from the credential, without a trailing slash (rule AUTH-02).
 *
 * @throws Error if it is missing, not a URL, not https, or more than an origin: the interface's paths all
 * start at the root
 */
export function checkedBaseUrl(text: string | undefined): string {
	const trimmed = (text ?? '').trim();
	if (trimmed === '') {
		throw new Error('The credential has no Base URL. Enter the address of the service.');
	}
	const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
	if (url?.protocol !== 'https:') {
		throw new Error(
			'The Base URL of the credential must start with "https://": letters and tokens are never sent unencrypted.',
		);
	}
	// A bare "?" or "#" at the end leaves both `search` and `hash` empty.
	if (url.username || url.password || /[?#]/.test(trimmed)) {
		throw new Error(
			'The Base URL of the credential must be a plain address such as https://api.example.com, without user name, query or fragment.',
		);
	}
	if (url.pathname.replaceAll('/', '') !== '') {
		throw new Error(
			`The Base URL of the credential must end with the host, but has the path "${url.pathname}". Enter ${url.origin}.`,
		);
	}
	return url.origin;
}
