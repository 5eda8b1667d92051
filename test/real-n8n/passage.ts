import { connect, createServer, type Socket } from 'node:net';

/** A loopback port, or a socket in the file system, which leads out of a network namespace. */
export type End = { port: number } | { path: string };

export interface Passage {
	close(): Promise<void>;
}

/** Forwards connections from one end to the other. */
export async function passOn(from: End, to: End): Promise<Passage> {
	const open = new Set<Socket>();
	const server = createServer((incoming) => {
		const outgoing = connect('port' in to ? { ...to, host: '127.0.0.1' } : to);
		for (const [one, other] of [
			[incoming, outgoing],
			[outgoing, incoming],
		]) {
			open.add(one);
			one.pipe(other);
			one.once('error', () => other.destroy());
			one.once('close', () => {
				open.delete(one);
				other.destroy();
			});
		}
	});
	await new Promise<void>((resolve) => {
		server.listen('port' in from ? { ...from, host: '127.0.0.1' } : from, resolve);
	});
	// A forwarder alone is no reason to keep the process alive.
	server.unref();
	return {
		async close() {
			for (const socket of open) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}
