import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Socket } from 'node:net';

/** After this long without a request, closing can't cut one off. */
const QUIET_MS = 100;

/**
 * Stops a server without cutting off requests. It accepts no new connections and answers requests on
 * open ones with `Connection: close`, so that clients send no more. Only then does it close idle
 * connections: `http.Server.close` closes them at once, along with requests on their way (7 of 16
 * clients under load saw a reset).
 */
export function gracefulStop(server: Server): (timeoutMs: number) => Promise<void> {
	/**
	 * All connections, with the response under way on each. Not a set of responses: V8 links each
	 * table that a set outgrows, with what was in it, to the next one. Once one of them is in the old
	 * generation, all that follow survive with their responses until it is cleared: 4 kB an event.
	 */
	const connections = new Map<Socket, ServerResponse | null>();
	let lastRequestAt = 0;
	let stopping = false;
	const open = (socket: Socket) => {
		connections.set(socket, null);
		socket.once('close', () => connections.delete(socket));
	};
	server.on('connection', open);
	// With TLS, requests have sockets of their own.
	server.on('secureConnection', open);
	server.prependListener('request', (request, response) => {
		lastRequestAt = performance.now();
		connections.set(request.socket, response);
		response.once('close', () => {
			if (connections.get(request.socket) === response) connections.set(request.socket, null);
		});
		if (stopping) response.setHeader('connection', 'close');
	});

	return async (timeoutMs) => {
		stopping = true;
		lastRequestAt = performance.now();
		for (const response of connections.values()) {
			if (response?.headersSent === false) response.setHeader('connection', 'close');
		}
		// Only stops listening.
		const closed = new Promise<void>((resolve) => {
			NetServer.prototype.close.call(server, () => resolve());
		});
		const impatience = setTimeout(() => {
			// All, not only those that Node knows: during a TLS handshake it does not know one yet.
			for (const socket of connections.keys()) socket.destroy();
		}, timeoutMs);
		const closeIdle = setInterval(() => {
			if (performance.now() - lastRequestAt < QUIET_MS) return;
			server.closeIdleConnections();
			// Browsers open connections in advance; Node does not count them as idle.
			for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
		}, QUIET_MS / 4);
		await closed;
		clearInterval(closeIdle);
		clearTimeout(impatience);
		// The rest of what `http.Server.close` does: its timers end.
		server.close();
	};
}
