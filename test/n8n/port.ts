import { createServer } from 'node:net';

/** The preferred loopback port, or the next free one; 0 picks any. */
export async function freePort(preferred = 0): Promise<number> {
	for (let port = preferred; port < preferred + 50; port++) {
		const free = await tryPort(port);
		if (free !== null) return free;
	}
	throw new Error(
		`All ports from ${preferred} to ${preferred + 49} are taken. Stop what uses them, then start again.`,
	);
}

function tryPort(port: number): Promise<number | null> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(null));
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null));
		});
	});
}
