import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import type { Socket } from 'node:net';

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
export function createHttpServer(tls: TlsConfig | null): Server {
	if (tls === null) return createServer(LIMITS);
	return createTlsServer({ ...LIMITS, cert: tls.certificate, key: tls.key });
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
