/**
 * The parsed address, or null if it is not https: evidence is never sent unencrypted (rule AUTH-02).
 *
 * @param base what a redirect's relative address is relative to
 */
export function httpsUrl(address: string, base?: string): URL | null {
	const url = URL.canParse(address, base) ? new URL(address, base) : null;
	return url?.protocol === 'https:' ? url : null;
}
