import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Socket } from 'node:net';

/** A connection on which nothing came for so long has no request on its way that we would cut off. */
const QUIET_MS = 100;

/**
 * Makes a server stop without cutting anybody off: no new connections, and what still comes on those
 * that are open is answered with `Connection: close`, so that clients know not to send more. Only
 * then are idle ones closed: closing them at once, as `http.Server.close` does, would meet requests
 * already on their way (7 of 16 clients under load saw a reset).
 */
export function gracefulStop(server: Server): (timeoutMs: number) => Promise<void> {
	const underWay = new Set<ServerResponse>();
	/** Opened in advance, as browsers do, and not used yet: to Node they are not idle. */
	const unused = new Set<Socket>();
	let lastRequestAt = 0;
	let stopping = false;
	server.on('connection', (socket: Socket) => {
		unused.add(socket);
		socket.once('close', () => unused.delete(socket));
	});
	server.prependListener('request', (request, response) => {
		lastRequestAt = Date.now();
		unused.delete(request.socket);
		underWay.add(response);
		response.once('close', () => underWay.delete(response));
		if (stopping) response.setHeader('connection', 'close');
	});

	return async (timeoutMs) => {
		stopping = true;
		lastRequestAt = Date.now();
		for (const response of underWay) {
			if (!response.headersSent) response.setHeader('connection', 'close');
		}
		// Stops listening, and nothing else.
		const closed = new Promise<void>((resolve) => {
			NetServer.prototype.close.call(server, () => resolve());
		});
		const impatience = setTimeout(() => server.closeAllConnections(), timeoutMs);
		const closeIdle = setInterval(() => {
			if (Date.now() - lastRequestAt < QUIET_MS) return;
			server.closeIdleConnections();
			for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
		}, QUIET_MS / 4);
		await closed;
		clearInterval(closeIdle);
		clearTimeout(impatience);
		// The rest of what `http.Server.close` does: its timers end.
		server.close();
	};
}
