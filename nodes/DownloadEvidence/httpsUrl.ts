/**
 * The address, if it can be fetched safely: evidence never travels unencrypted (rule AUTH-02).
 *
 * @param base what a relative address of a redirect is relative to
 */
export function httpsUrl(address: string, base?: string): URL | null {
	const url = URL.canParse(address, base) ? new URL(address, base) : null;
	return url?.protocol === 'https:' ? url : null;
}
