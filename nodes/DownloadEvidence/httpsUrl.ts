/**
 * The address, if it is https: evidence never travels unencrypted (rule AUTH-02).
 *
 * @param base that a redirect's relative address is relative to
 */
export function httpsUrl(address: string, base?: string): URL | null {
	const url = URL.canParse(address, base) ? new URL(address, base) : null;
	return url?.protocol === 'https:' ? url : null;
}
