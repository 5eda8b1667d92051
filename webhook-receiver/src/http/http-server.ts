import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { Server as TlsServer, createServer as createTlsServer } from 'node:https';

/** HTTPS without a proxy. */
export interface TlsConfig {
	/** PEM certificate chain, and its key. */
	certificate: string;
	key: string;
}

/** Node allows 60 s for headers and 300 s for a body, enough for a few slow senders to fill it. */
const LIMITS = {
	headersTimeout: 10_000,
	requestTimeout: 30_000,
	keepAliveTimeout: 65_000,
	/** How often Node checks both timeouts. */
	connectionsCheckingInterval: 2_000,
};

/** The HTTP server, with or without TLS. */
export function createHttpServer(tls: TlsConfig | null, listener: RequestListener): Server {
	if (tls === null) return createServer(LIMITS, listener);
	return createTlsServer({ ...LIMITS, cert: tls.certificate, key: tls.key }, listener);
}

/** For the handshakes from now on; open connections stay as they are. */
export function renewTls(server: Server, tls: TlsConfig | null): void {
	if (tls === null || !(server instanceof TlsServer)) return;
	server.setSecureContext({ cert: tls.certificate, key: tls.key });
}

/** What is wrong with which variable, and what to do, by the system's code. */
const REASONS: Record<string, (host: string, port: number) => string> = {
	EADDRINUSE: (host, port) =>
		`PORT ${port}: another program listens there, on ${host}. Stop it, or set another PORT.`,
	EACCES: (_, port) =>
		`PORT ${port}: this user may not listen there. Set a PORT above 1023, and let a proxy forward to it.`,
	EADDRNOTAVAIL: (host) =>
		`HOST ${host}: this machine has no such address. Set one of its own, 127.0.0.1 for programs on this machine, or 0.0.0.0 for all.`,
	ENOTFOUND: (host) =>
		`HOST ${host}: this name has no address. Set an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
};

/** @throws Error that names the variable */
export async function listen(server: Server, host: string, port: number): Promise<void> {
	try {
		await once(server.listen(port, host), 'listening');
	} catch (error) {
		const { code = '', message } = error as NodeJS.ErrnoException;
		const name = code === 'EAI_AGAIN' || code === 'EAI_FAIL' ? 'ENOTFOUND' : code;
		const reason =
			REASONS[name]?.(host, port) ?? `HOST ${host} and PORT ${port}: ${message}. Set others.`;
		throw new Error(reason, { cause: error });
	}
}
