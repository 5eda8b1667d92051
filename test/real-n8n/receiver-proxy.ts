import {
	type ClientRequest,
	createServer,
	type IncomingMessage,
	request,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy between n8n and the receiver. */
export interface ReceiverProxy {
	url: string;
	/** Closes every open and new connection at once, as if the receiver were down. */
	isAway: boolean;
	/** Rewrites the receiver's answer to a pull. */
	change: (answer: PullAnswerText) => PullAnswerText;
	close(): Promise<void>;
}

/** As sent on the wire. */
export type PullAnswerText = string;

/** @param receiver called for each request, since the receiver may restart */
export async function startReceiverProxy(receiver: () => string): Promise<ReceiverProxy> {
	const server = createServer((incoming, outgoing) => {
		if (proxy.isAway) return void incoming.socket.destroy();
		pass(incoming, outgoing, request(receiver() + incoming.url, options(incoming)), proxy);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	let away = false;
	const proxy: ReceiverProxy = {
		url: `http://127.0.0.1:${port}`,
		get isAway() {
			return away;
		},
		set isAway(value) {
			away = value;
			if (away) server.closeAllConnections();
		},
		change: (answer) => answer,
		async close() {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
	return proxy;
}

function options({ method, headers }: IncomingMessage) {
	return { method, headers: { ...headers, connection: 'close' } };
}

function pass(
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	upstream: ClientRequest,
	proxy: ReceiverProxy,
): void {
	upstream.once('response', async (answer) => {
		const chunks: Buffer[] = [];
		for await (const chunk of answer) chunks.push(chunk as Buffer);
		const text = Buffer.concat(chunks).toString();
		const isPull = incoming.url?.endsWith('/pull') && answer.statusCode === 200;
		const body = isPull ? proxy.change(text) : text;
		const headers = { ...answer.headers, 'content-length': Buffer.byteLength(body) };
		delete headers['transfer-encoding'];
		outgoing.writeHead(answer.statusCode ?? 502, headers).end(body);
	});
	upstream.once('error', () => incoming.socket.destroy());
	// A client that disconnects here disconnects there.
	outgoing.once('close', () => upstream.destroy());
	incoming.pipe(upstream);
}
