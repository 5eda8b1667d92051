import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

/** HTTPS without a proxy. */
export interface TlsConfig {
	/** PEM certificate chain, and its key. */
	certificate: string;
	key: string;
	asksForCertificate: boolean;
	/** PEM of those that issue client certificates; empty to accept any issuer. */
	clientCa: readonly string[];
}

/** Node allows 60 s for headers and 300 s for a body, enough for a few slow senders to fill it. */
const LIMITS = {
	headersTimeout: 10_000,
	requestTimeout: 30_000,
	keepAliveTimeout: 65_000,
	/** How often Node checks both timeouts. */
	connectionsCheckingInterval: 2_000,
};

/**
 * The HTTP server, with or without TLS. It asks for client certificates but requires none: the verifiers
 * say which route needs one.
 */
export function createHttpServer(tls: TlsConfig | null, listener: RequestListener): Server {
	if (tls === null) return createServer(LIMITS, listener);
	const { certificate: cert, key, asksForCertificate, clientCa } = tls;
	const clients = {
		requestCert: asksForCertificate,
		rejectUnauthorized: false,
		...(clientCa.length > 0 && { ca: [...clientCa] }),
	};
	return createTlsServer({ ...LIMITS, cert, key, ...clients }, listener);
}
