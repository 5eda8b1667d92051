import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves JSON to n8n's HTTP Request node, which makes one item of each entry of an array. */
export interface JsonServer {
	/** Serves the value from now on. @returns its URL */
	offer(value: unknown): string;
	close(): Promise<void>;
}

export async function startJsonServer(): Promise<JsonServer> {
	const offered: string[] = [];
	const server = createServer((request, response) => {
		const text = offered[Number(request.url?.slice(1))];
		response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' });
		response.end(text);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		offer: (value) => `http://127.0.0.1:${port}/${offered.push(JSON.stringify(value)) - 1}`,
		async close() {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}
