import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connection beneath each TLS socket, which has no way to it and cannot reset it. */
const beneath = new WeakMap<Duplex, Socket>();

/**
 * Stands before the TLS handshakes of a server.
 *
 * @param isCut asked once for each connection: cut it as soon as the client has begun its handshake?
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
 * Ends a connection with RST instead of FIN. Not in the same breath as the last write: what TLS has
 * not handed down by then would never leave.
 */
export function resetConnection(secure: Duplex): void {
	setImmediate(() => beneath.get(secure)?.resetAndDestroy());
}

function cutOnceHeard(socket: Socket): void {
	socket.on('error', () => socket.destroy());
	socket.once('data', () => socket.destroy());
}

const farEnd = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
