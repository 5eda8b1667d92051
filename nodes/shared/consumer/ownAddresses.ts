import type { IExecuteFunctions } from 'n8n-workflow';

import type { ReceiverContext } from '../transport/receiver';

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
 * - If n8n listens only on another address (`N8N_LISTEN_ADDRESS`), loopback leads nowhere.
 *
 * @param port on which n8n listens; null if unknown
 * @returns an empty list for an invalid URL
 */
export function ownAddresses(resumeUrl: string, port: number | null): OwnAddress[] {
	if (!URL.canParse(resumeUrl)) return [];
	const { protocol, hostname, port: ofUrl, origin, pathname, search } = new URL(resumeUrl);
	const path = pathname.split('/').slice(-3).join('/');
	const ports = port === null ? [DEFAULT_PORT, Number(ofUrl) || DEFAULT_PORT] : [port];
	const loopback = [...new Set(ports)].flatMap((own): OwnAddress[] => {
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

let port: number | null = null;

/** The port this n8n listens on; null if unknown. */
export function ownPort(): number | null {
	return port;
}

/**
 * Reads the port from the environment, if n8n lets nodes read that (N8N_BLOCK_ENV_ACCESS_IN_NODE is
 * false); nothing else a node sees reveals it. For `execute()` and `trigger()` only: n8n 2.41
 * evaluates no expressions once they have returned.
 */
export function learnOwnPort(context: ReceiverContext): void {
	// Triggers have it too, though their type does not say so.
	const { evaluateExpression } = context as Partial<IExecuteFunctions>;
	try {
		const value = Number(evaluateExpression?.call(context, '{{ $env.N8N_PORT }}', 0));
		if (Number.isInteger(value) && value > 0 && value < 65_536) port = value;
	} catch {
		// Access is blocked, which is n8n's default.
	}
}
