// What a server of HTTPS that a test makes needs: a certificate of an authority of its own, and the
// connections beneath.
import 'reflect-metadata';
import { randomUUID, webcrypto } from 'node:crypto';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import * as x509 from '@peculiar/x509';

const ELLIPTIC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;

/** A server certificate for this machine with its key, and the authority that clients must trust. */
export async function localhostCertificate(host = 'localhost') {
	x509.cryptoProvider.set(webcrypto as Crypto);
	const [owner, server] = await Promise.all([newKeys(), newKeys()]);
	const notBefore = new Date(Date.now() - DAY);
	const valid = {
		notBefore,
		notAfter: new Date(Date.now() + 30 * DAY),
		signingAlgorithm: ELLIPTIC,
	};
	const authority = await x509.X509CertificateGenerator.createSelfSigned({
		...valid,
		// Of two authorities of one name, a client that trusts both may take the wrong one.
		name: `CN=Authority of a test ${randomUUID()}`,
		keys: owner,
		extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
	});
	const names = [{ type: 'dns' as const, value: host }];
	const addresses = ['127.0.0.1', '::1'].map((value) => ({ type: 'ip' as const, value }));
	const certificate = await x509.X509CertificateGenerator.create({
		...valid,
		subject: 'CN=localhost',
		issuer: authority.subject,
		publicKey: server.publicKey,
		signingKey: owner.privateKey,
		extensions: [new x509.SubjectAlternativeNameExtension([...names, ...addresses])],
	});
	const key = await webcrypto.subtle.exportKey('pkcs8', server.privateKey as webcrypto.CryptoKey);
	return {
		cert: certificate.toString('pem'),
		key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
		authority: authority.toString('pem'),
	};
}

const newKeys = async () =>
	(await webcrypto.subtle.generateKey(ELLIPTIC, true, ['sign', 'verify'])) as CryptoKeyPair;

/** The TCP socket under each TLS socket, which does not expose it and cannot reset it. */
const beneath = new WeakMap<Duplex, Socket>();

/** @param isCut asked once a connection: is it cut as soon as the client begins its handshake? */
export function watchConnections(server: Server, isCut: () => boolean): void {
	const handshakes = server.listeners('connection');
	const underWay = new Map<number | undefined, Socket>();
	server.removeAllListeners('connection');
	server.on('connection', (socket: Socket) => {
		if (isCut()) {
			socket.on('error', () => socket.destroy());
			socket.once('data', () => socket.destroy());
			return;
		}
		const { remotePort } = socket;
		underWay.set(remotePort, socket);
		socket.once('close', () => underWay.delete(remotePort));
		for (const handshake of handshakes) handshake.call(server, socket);
	});
	server.on('secureConnection', (secure: Socket) => {
		const socket = underWay.get(secure.remotePort);
		if (socket) beneath.set(secure, socket);
	});
}

/** Ends with RST, not FIN; deferred past the last write, which TLS would never hand down. */
export function resetConnection(secure: Duplex): void {
	setImmediate(() => beneath.get(secure)?.resetAndDestroy());
}
