/** The parsed address, or null if it is not https: evidence is never sent unencrypted (rule AUTH-02). */
export function httpsUrl(address: string, base?: string): URL | null {
	const url = URL.canParse(address, base) ? new URL(address, base) : null;
	return url?.protocol === 'https:' ? url : null;
}

/**
 * The same of a `Location` header, which may be relative to the address that sent it. Node reads each byte of a
 * header as one character; a host that writes UTF-8 there means its bytes.
 */
export function redirectUrl(location: string, from: string): URL | null {
	const asBytes = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
	return httpsUrl(location.replace(/[\u0080-\u00FF]/g, asBytes), from);
}
