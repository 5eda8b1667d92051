/** n8n's own default. */
const DEFAULT_PORT = 5678;

/** An address at which n8n may reach itself. */
export interface OwnAddress {
	url: string;
	/** For operators; without the query, which holds n8n's token. */
	name: string;
	/** The name the certificate must be for, if the address does not give it. */
	servername?: string;
}

/**
 * The addresses of an execution, in the order to try them: its public URL, then loopback, since
 * many networks don't let a machine reach itself by its public address (no hairpin).
 *
 * - A path prefix (`N8N_PATH`) is up to the proxy in front: n8n 2.41 itself serves only
 *   `/webhook-waiting/…/…`, so loopback leaves it out.
 * - n8n speaks plain http on its port, unless it has its own certificate (`N8N_PROTOCOL=https`).
 *   That must be valid for the public name, so that no other program on the machine gets the
 *   secret.
 * - n8n tells no node its port (`N8N_PORT`): it is that of the public URL, or the default.
 * - If n8n listens only on another address (`N8N_LISTEN_ADDRESS`), loopback leads nowhere.
 *
 * @returns an empty list for an invalid URL
 */
export function ownAddresses(resumeUrl: string): OwnAddress[] {
	if (!URL.canParse(resumeUrl)) return [];
	const { protocol, hostname, port, origin, pathname, search } = new URL(resumeUrl);
	const path = pathname.split('/').slice(-3).join('/');
	const ports = new Set([Number(port) || DEFAULT_PORT, DEFAULT_PORT]);
	const loopback = [...ports].flatMap((own): OwnAddress[] => {
		const rest = `127.0.0.1:${own}/${path}${search}`;
		const plain = { url: `http://${rest}`, name: `127.0.0.1:${own}` };
		if (protocol === 'http:') return [plain];
		return [
			plain,
			{ url: `https://${rest}`, name: `https://127.0.0.1:${own}`, servername: hostname },
		];
	});
	const publicly = { url: resumeUrl, name: `${origin}${pathname}` };
	return [publicly, ...loopback.filter(({ url }) => url !== resumeUrl)];
}
