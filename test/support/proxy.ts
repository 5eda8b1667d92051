// A reverse proxy like those operators put in front of n8n and receivers.
import { request, type IncomingMessage, type ServerResponse } from 'node:http';

import { serve } from './http-server.ts';

export interface Proxy {
	url: string;
	/** Requests that passed, oldest first. */
	passed: Array<{ method: string; path: string; body: string; target: string }>;
	close(): Promise<void>;
}

export interface ProxyOptions {
	/** Requests go to these in turn. Called again for each request, with its path. */
	targets: (path: string) => string[];
	/** Which requests get a page with status 200 instead of their target's answer. */
	isPage?: (request: { method: string; path: string }) => boolean;
}

export async function startProxy(options: ProxyOptions): Promise<Proxy> {
	const { targets, isPage = () => false } = options;
	const passed: Proxy['passed'] = [];
	let turn = 0;
	const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
		const { method = '', url: path = '' } = incoming;
		const chunks: Buffer[] = [];
		for await (const chunk of incoming) chunks.push(chunk as Buffer);
		if (isPage({ method, path })) return void outgoing.end('<h1>Welcome</h1>');
		const all = targets(path);
		const target = all[turn++ % all.length];
		const body = Buffer.concat(chunks);
		passed.push({ method, path, body: body.toString(), target });
		const onward = request(target + path, { method, headers: incoming.headers }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
			answer.once('error', () => outgoing.destroy());
		});
		onward.once('error', () => {
			if (outgoing.headersSent) return void outgoing.destroy();
			outgoing.writeHead(502).end();
		});
		// The client has disconnected: the target must know, as with any proxy.
		outgoing.once('close', () => onward.destroy());
		onward.end(body);
	};
	const { url, close } = await serve((incoming, outgoing) => {
		pass(incoming, outgoing).catch(() => outgoing.destroy());
	});
	return { url, passed, close };
}
