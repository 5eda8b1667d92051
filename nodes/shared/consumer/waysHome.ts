/** n8n's own default. */
const DEFAULT_PORT = 5678;

/** A way by which n8n may reach itself. */
export interface Way {
	url: string;
	/** For an operator; without the query, which holds n8n's token. */
	name: string;
	/** Whom the certificate has to be for, where the address does not say it. */
	servername?: string;
}

/**
 * The ways to an execution, to be tried in this order: its public URL, then loopback, since many
 * networks don't let a machine reach itself by its public address (no hairpin).
 *
 * - A prefix of the path (`N8N_PATH`) is the business of the proxy in front: n8n 2.41 itself serves
 *   `/webhook-waiting/…` only, so loopback leaves it out.
 * - n8n speaks plain http on its port, unless it has a certificate of its own (`N8N_PROTOCOL=https`).
 *   That must be for the public name, so that nobody else on the machine gets the secret.
 * - Where n8n listens on another address only (`N8N_LISTEN_ADDRESS`), loopback leads nowhere.
 *
 * @param port on which n8n listens; null where that is not known
 * @returns none for what is no URL
 */
export function waysTo(resumeUrl: string, port: number | null): Way[] {
	if (!URL.canParse(resumeUrl)) return [];
	const { protocol, hostname, port: ofUrl, origin, pathname, search } = new URL(resumeUrl);
	const path = pathname.split('/').slice(-2).join('/');
	const ports = port === null ? [DEFAULT_PORT, Number(ofUrl) || DEFAULT_PORT] : [port];
	const loopback = [...new Set(ports)].flatMap((own): Way[] => {
		const rest = `127.0.0.1:${own}/${path}${search}`;
		const plain = { url: `http://${rest}`, name: `127.0.0.1:${own}` };
		if (protocol === 'http:') return [plain];
		return [
			plain,
			{ url: `https://${rest}`, name: `https://127.0.0.1:${own}`, servername: hostname },
		];
	});
	const publicWay = { url: resumeUrl, name: `${origin}${pathname}` };
	return [publicWay, ...loopback.filter(({ url }) => url !== resumeUrl)];
}
