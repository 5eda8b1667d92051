// A server of HTTP on this machine that answers what a test wants.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
	url: string;
	port: number;
	/** Ends all connections; new ones are taken. */
	cut(): void;
	close(): Promise<void>;
}

export async function serve(answer: RequestListener): Promise<HttpServer> {
	const server = createServer(answer).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const cut = () => server.closeAllConnections();
	return {
		url: `http://127.0.0.1:${port}`,
		port,
		cut,
		async close() {
			cut();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
