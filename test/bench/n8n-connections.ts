import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** Stands before a server, passes bytes on, and counts the connections. */
export interface ConnectionCounter {
	port: number;
	/** The most that were open at once since the last call. */
	takePeak(): number;
	close(): Promise<void>;
}

/** @param port of a server on this machine; TLS goes through unread */
export async function countConnections(port: number): Promise<ConnectionCounter> {
	const open = new Set<Socket>();
	const sockets = new Set<Socket>();
	let peak = 0;
	const server = createServer((client) => {
		open.add(client);
		peak = Math.max(peak, open.size);
		const service = connect({ port, host: '127.0.0.1' });
		client.pipe(service).pipe(client);
		for (const [one, other] of [
			[client, service],
			[service, client],
		]) {
			one.setNoDelay(true);
			one.on('error', () => other.destroy());
			// The first side that says goodbye ends it; what is left is the kernel's to clear up.
			one.on('end', () => open.delete(client));
			one.on('close', () => {
				other.destroy();
				open.delete(client);
				sockets.delete(one);
			});
			sockets.add(one);
		}
	});
	server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		takePeak() {
			const seen = peak;
			peak = open.size;
			return seen;
		},
		async close() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
