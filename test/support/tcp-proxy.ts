import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface TcpProxy {
	port: number;
	/** From now on nothing passes in either direction; connections stay open. */
	fallSilent(): void;
	/** Falls silent right after passing that text on to the server; resolves then. */
	fallSilentAfter(text: string): Promise<void>;
	/** Passes what was held back, and everything after it. */
	speak(): void;
	/** Cuts all connections, as if the machine had died. */
	cut(): void;
	stop(): Promise<void>;
}

/** A proxy between a client and a server on this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
	const sockets = new Set<Socket>();
	let isSilent = false;
	let onData: (data: Buffer) => void = () => undefined;
	const fallSilent = () => {
		isSilent = true;
		for (const socket of sockets) socket.pause();
	};
	const server = createServer((inward) => {
		const outward = connect(targetPort, '127.0.0.1');
		for (const socket of [inward, outward]) {
			sockets.add(socket);
			const other = socket === inward ? outward : inward;
			socket.on('data', (data) => {
				other.write(data);
				if (socket === inward) onData(data);
			});
			socket.on('error', () => undefined);
			socket.on('close', () => {
				sockets.delete(socket);
				other.destroy();
			});
			if (isSilent) socket.pause();
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const cut = () => {
		for (const socket of sockets) socket.destroy();
	};
	return {
		port: (server.address() as AddressInfo).port,
		fallSilent,
		fallSilentAfter(text) {
			return new Promise((resolve) => {
				onData = (data) => {
					if (!data.includes(text)) return;
					fallSilent();
					resolve();
				};
			});
		},
		speak() {
			isSilent = false;
			for (const socket of sockets) socket.resume();
		},
		cut,
		stop() {
			cut();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}
