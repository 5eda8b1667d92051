import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux gives to outgoing connections: one of those could take a port before its
 * server listens, or while it restarts.
 */
const ANY = { from: 20_000, to: 32_000 };

/** The preferred loopback port, or the next free one; 0 picks any. */
export async function freePort(preferred = 0): Promise<number> {
	const first = preferred === 0 ? randomInt(ANY.from, ANY.to) : preferred;
	for (let port = first; port < first + 50; port++) if (await isFree(port)) return port;
	throw new Error(
		`All ports from ${first} to ${first + 49} are taken. Stop what uses them, then start again.`,
	);
}

function isFree(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}
