import { createSocket, type Socket } from 'node:dgram';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux gives to outgoing connections: one of those could take a port before its
 * server listens, or while it restarts.
 */
const ANY = { from: 20_000, to: 32_000 };

/**
 * What this process has chosen. Its server may listen only much later, so until this process ends it
 * holds the UDP port of the same number, for all who choose in the same way to see.
 */
const chosen = new Map<number, Socket>();

/**
 * The preferred loopback port, or the next free one; 0 picks any. The process that has chosen it may
 * ask for it again, to restart what listens there.
 */
export async function freePort(preferred = 0): Promise<number> {
	const first = preferred === 0 ? randomInt(ANY.from, ANY.to) : preferred;
	for (let port = first; port < first + 50; port++) {
		if (!(await isFree(port))) continue;
		if (port === preferred && chosen.has(port)) return port;
		if (await choose(port)) return port;
	}
	throw new Error(
		`All ports from ${first} to ${first + 49} are taken. Stop what uses them, then start again.`,
	);
}

/** On both loopback addresses: `localhost` may mean either, and another process may have the other one. */
async function isFree(port: number): Promise<boolean> {
	return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'));
}

function canListen(port: number, host: string): Promise<boolean> {
	return new Promise((resolve) => {
		const server = createServer();
		// Machines without IPv6 have no such address, so no other process has it either.
		server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
		server.listen(port, host, () => server.close(() => resolve(true)));
	});
}

function choose(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = createSocket('udp4').unref();
		socket.once('error', () => socket.close(() => resolve(false)));
		socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
			chosen.set(port, socket);
			resolve(true);
		});
	});
}
