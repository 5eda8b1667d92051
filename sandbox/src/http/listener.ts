import type { RequestListener, Server } from 'node:http';
import { createServer, Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Credentials } from '../state/model.ts';
import { badRequest } from './errors.ts';

/**
 * The service's own listener. It requests a client certificate, checked later against the account's
 * list.
 */
export const secureServer = (app: RequestListener, server: Credentials): Server =>
	createServer(
		{
			key: server.key,
			cert: server.certificate,
			requestCert: true,
			rejectUnauthorized: false,
			minVersion: 'TLSv1.2',
		},
		app,
	).on('clientError', answerUnreadable);

/** For new connections; the page's server has no certificate, and stays as it is. */
export function showCertificate(server: Server, { key, certificate }: Credentials): void {
	if (server instanceof SecureServer) server.setSecureContext({ key, cert: certificate });
}

/** Input that is not HTTP never reaches the app; it gets an error in the interface's own format. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
	if (!socket.writable) return void socket.destroy();
	const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
	const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
	const { body } = badRequest(isTooLarge ? 'The headers are too large' : 'This is not HTTP');
	const text = JSON.stringify(body);
	socket.end(
		`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
			`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
	);
}

const MAX_TRIES = 20;
/** Errors on a machine without IPv6. */
const NO_IPV6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'];

/**
 * Starts listening. `localhost` means both loopback addresses on one port: clients differ in which
 * of the two they try, and another program could be listening on the other.
 */
export async function listen(create: () => Server, host: string, port: number) {
	for (let tries = 1; ; tries++) {
		const first = create();
		const listening = await bind(first, host === 'localhost' ? '127.0.0.1' : host, port);
		if (host !== 'localhost') return { port: listening, servers: [first] };
		const second = create();
		try {
			await bind(second, '::1', listening);
			return { port: listening, servers: [first, second] };
		} catch (error) {
			const { code = '' } = error as NodeJS.ErrnoException;
			if (NO_IPV6.includes(code)) return { port: listening, servers: [first] };
			await stop(first);
			// We chose this port, and the next one may be free on both.
			if (code !== 'EADDRINUSE' || port !== 0 || tries === MAX_TRIES) throw error;
		}
	}
}

function bind(server: Server, address: string, port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		const fail = (error: NodeJS.ErrnoException) => reject(listenError(error, address, port));
		server.once('error', fail);
		server.listen(port, address, () => {
			server.off('error', fail);
			resolve((server.address() as AddressInfo).port);
		});
	});
}

const REASONS: Partial<Record<string, string>> = {
	EADDRINUSE: 'another program has it. Stop that one, or choose another port',
	EACCES: 'this user may not have it. Choose a port above 1023',
	EADDRNOTAVAIL: 'this machine does not have that address. Choose another host',
	ENOTFOUND: 'there is no such address. Choose another host',
};

/** The operating system's error in plain words, and under its own code. */
function listenError(error: NodeJS.ErrnoException, address: string, port: number): Error {
	const { code = '', syscall } = error;
	const reason = REASONS[code];
	if (reason === undefined) return error;
	const said = `Port ${port} of ${address} cannot be used: ${reason}.`;
	return Object.assign(new Error(said, { cause: error }), { code, syscall });
}

/** Closes open connections too, including event streams. */
export function stop(server: Server): Promise<void> {
	if (!server.listening) return Promise.resolve();
	return new Promise((resolve, reject) => {
		server.close((error) => (error ? reject(error) : resolve()));
		server.closeAllConnections();
	});
}
