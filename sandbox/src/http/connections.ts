import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The TCP socket under each TLS socket, which does not expose it and cannot reset it. */
const beneath = new WeakMap<Duplex, Socket>();

/**
 * Intercepts connections before a server's TLS handshakes.
 *
 * @param isCut called once per connection: cut it as soon as the client begins its handshake?
 */
export function watchConnections(server: Server, isCut: () => boolean): void {
	const handshakes = server.listeners('connection');
	const underWay = new Map<string, Socket>();
	server.removeAllListeners('connection');
	server.on('connection', (socket: Socket) => {
		if (isCut()) return cutOnceHeard(socket);
		const end = farEnd(socket);
		underWay.set(end, socket);
		socket.once('close', () => underWay.delete(end));
		for (const handshake of handshakes) handshake.call(server, socket);
	});
	server.on('secureConnection', (secure: Socket) => {
		const socket = underWay.get(farEnd(secure));
		if (socket) beneath.set(secure, socket);
	});
}

/**
 * Ends a connection with RST instead of FIN. Deferred past the last write, because data that TLS
 * has not yet handed down would never be sent.
 */
export function resetConnection(secure: Duplex): void {
	setImmediate(() => beneath.get(secure)?.resetAndDestroy());
}

function cutOnceHeard(socket: Socket): void {
	socket.on('error', () => socket.destroy());
	socket.once('data', () => socket.destroy());
}

const farEnd = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
