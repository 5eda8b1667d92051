import { TLSSocket } from 'node:tls';
import type { Request } from 'express';
import type { Client } from '../core/verify.ts';

type TrustProxy = (address: string | undefined, hop: number) => boolean;

/** Who sent a request; Express has applied TRUSTED_PROXIES to `request.ip`. */
export function clientOf(request: Request): Client {
	const { socket } = request;
	const isTrusted = request.app.get('trust proxy fn') as TrustProxy;
	const x509 = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
	return {
		address: request.ip ?? null,
		certificate: x509 ? { x509, isTrusted: (socket as TLSSocket).authorized } : null,
		isTrustedProxy: isTrusted(socket.remoteAddress, 0),
	};
}
