import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { ReceiverConfig } from './config.ts';

/** Node allows 60 s for headers and 300 s for a body, enough for a few slow senders to fill it. */
const LIMITS = {
	headersTimeout: 10_000,
	requestTimeout: 30_000,
	keepAliveTimeout: 65_000,
	/** How often the two timeouts are looked after. */
	connectionsCheckingInterval: 2_000,
};

/**
 * The listening half, with or without TLS. Client certificates are asked for, not required: which
 * routes need one is for the verifiers to say.
 */
export function createHttpServer(tls: ReceiverConfig['tls'], listener: RequestListener): Server {
	if (tls === null) return createServer(LIMITS, listener);
	const { certificate: cert, key, asksForCertificate, clientCa } = tls;
	const clients = {
		requestCert: asksForCertificate,
		rejectUnauthorized: false,
		...(clientCa === null ? {} : { ca: clientCa }),
	};
	return createTlsServer({ ...LIMITS, cert, key, ...clients }, listener);
}
