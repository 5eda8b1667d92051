// A forward proxy as a company has it, and the environment that names it.
import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

const NAMES = ['HTTP_PROXY', 'NO_PROXY', 'no_proxy'];

export interface ForwardProxy {
	/** Addresses and bodies of all that it could read. */
	passed: string[];
	close(): void;
}

/** Has this process send plain http through a proxy, except to the hosts of `NO_PROXY`. */
export async function useForwardProxy(noProxy: string): Promise<ForwardProxy> {
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
