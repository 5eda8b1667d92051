// A forward proxy like those that companies make their servers use: n8n tunnels through it with CONNECT.
import { once } from 'node:events';
import { createServer, request as forward, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface ForwardProxy {
	/** For `HTTPS_PROXY`. */
	url: string;
	/** The answer to each CONNECT, with headers and body; null opens the tunnel. */
	refuse: () => string | null;
	/** Where a tunnel to an address leads; by default there. */
	lead: (address: string) => string;
	/** Addresses that were asked for. */
	asked: string[];
	/** Cuts all tunnels, as if it had been restarted. */
	cut(): void;
	close(): Promise<void>;
}

export async function startForwardProxy(): Promise<ForwardProxy> {
	const sockets = new Set<Socket>();
	const server: Server = createServer();
	server.on('connect', ({ url = '' }, inward: Socket) => {
		proxy.asked.push(url);
		sockets.add(inward);
		inward.on('error', () => undefined);
		inward.on('close', () => sockets.delete(inward));
		const refusal = proxy.refuse();
		if (refusal !== null) return void inward.end(refusal);
		const { hostname, port } = new URL(`http://${proxy.lead(url)}`);
		const outward = connect(Number(port), hostname, () => {
			inward.write('HTTP/1.1 200 Connection established\r\n\r\n');
			outward.pipe(inward).pipe(outward);
		});
		sockets.add(outward);
		outward.on('error', () => inward.destroy());
		outward.on('close', () => sockets.delete(outward));
		inward.on('close', () => outward.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const proxy: ForwardProxy = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		refuse: () => null,
		lead: (address) => address,
		asked: [],
		cut() {
			for (const socket of sockets) socket.destroy();
		},
		close() {
			proxy.cut();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
	return proxy;
}

const NAMES = ['HTTP_PROXY', 'NO_PROXY', 'no_proxy'];

export interface ReadingProxy {
	/** Addresses and bodies of all that it could read. */
	passed: string[];
	close(): void;
}

/** Has this process send plain http through a proxy, except to the hosts of `NO_PROXY`. */
export async function useForwardProxy(noProxy: string): Promise<ReadingProxy> {
	const passed: string[] = [];
	const server = createServer((request, response) => {
		passed.push(String(request.url));
		request.on('data', (chunk: Buffer) => passed.push(String(chunk)));
		const { pathname, port, hostname, search } = new URL(String(request.url));
		const { method, headers } = request;
		const onward = forward(
			{ method, headers, port, hostname, path: pathname + search },
			(answer) => {
				response.writeHead(answer.statusCode ?? 500, answer.headers);
				answer.pipe(response);
			},
		);
		request.pipe(onward.on('error', () => response.writeHead(502).end()));
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const before = NAMES.map((name) => process.env[name]);
	const { port } = server.address() as AddressInfo;
	Object.assign(process.env, { HTTP_PROXY: `http://127.0.0.1:${port}` });
	Object.assign(process.env, { NO_PROXY: noProxy, no_proxy: '' });
	return {
		passed,
		close() {
			server.close();
			NAMES.forEach((name, at) => {
				delete process.env[name];
				if (before[at] !== undefined) process.env[name] = before[at];
			});
		},
	};
}
