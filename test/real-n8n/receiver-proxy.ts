import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';

import { serve } from '../support/http-server.ts';

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
	const { url, cut, close } = await serve((incoming, outgoing) => {
		if (proxy.isAway) return void incoming.socket.destroy();
		pass(incoming, outgoing, request(receiver() + incoming.url, options(incoming)), proxy);
	});
	let away = false;
	const proxy: ReceiverProxy = {
		url,
		close,
		get isAway() {
			return away;
		},
		set isAway(value) {
			away = value;
			if (away) cut();
		},
		change: (answer) => answer,
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
