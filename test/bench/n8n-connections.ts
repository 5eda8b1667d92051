import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { Transform } from 'node:stream';

/** Stands before a server, passes bytes on, and counts the connections. */
export interface ConnectionCounter {
	port: number;
	/** The most that were open at once since the last call. */
	takePeak(): number;
	close(): Promise<void>;
}

/**
 * @param port of a server on this machine; TLS goes through unread
 * @param delay milliseconds that whatever the server says takes to arrive, as from far away
 */
export async function countConnections(port: number, delay = 0): Promise<ConnectionCounter> {
	const open = new Set<Socket>();
	const sockets = new Set<Socket>();
	let peak = 0;
	const server = createServer((client) => {
		open.add(client);
		peak = Math.max(peak, open.size);
		const service = connect({ port, host: '127.0.0.1' });
		const answers = delay === 0 ? service : service.pipe(slowly(delay));
		client.pipe(service);
		answers.pipe(client);
		// The first side that says goodbye ends it; what is left is the kernel's to clear up.
		for (const side of [client, answers]) side.on('end', () => open.delete(client));
		client.on('error', () => service.destroy());
		service.on('error', () => client.destroy());
		client.on('close', () => {
			service.destroy();
			open.delete(client);
			sockets.delete(client);
		});
		// What is still on its way to the client ends it when it has arrived.
		if (answers === service) service.on('close', () => client.destroy());
		service.on('close', () => sockets.delete(service));
		for (const socket of [client, service]) {
			socket.setNoDelay(true);
			sockets.add(socket);
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

function slowly(delay: number): Transform {
	return new Transform({
		transform(chunk, _encoding, done) {
			setTimeout(() => done(null, chunk), delay);
		},
	});
}
