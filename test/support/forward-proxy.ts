// A forward proxy like those that companies make their servers use: n8n tunnels through it with CONNECT.
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface ForwardProxy {
	/** For `HTTPS_PROXY`. */
	url: string;
	/** The answer to each CONNECT, with headers and body; null opens the tunnel. */
	refuse: () => string | null;
	/** Addresses that were asked for. */
	asked: string[];
	close(): Promise<void>;
}

export async function startForwardProxy(): Promise<ForwardProxy> {
	const sockets = new Set<Socket>();
	const server: Server = createServer();
	server.on('connect', ({ url = '' }, inward: Socket) => {
		proxy.asked.push(url);
		sockets.add(inward);
		inward.on('error', () => undefined);
		const refusal = proxy.refuse();
		if (refusal !== null) return void inward.end(refusal);
		const { hostname, port } = new URL(`http://${url}`);
		const outward = connect(Number(port), hostname, () => {
			inward.write('HTTP/1.1 200 Connection established\r\n\r\n');
			outward.pipe(inward).pipe(outward);
		});
		sockets.add(outward);
		outward.on('error', () => inward.destroy());
		inward.on('close', () => outward.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const proxy: ForwardProxy = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		refuse: () => null,
		asked: [],
		close() {
			for (const socket of sockets) socket.destroy();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
	return proxy;
}
