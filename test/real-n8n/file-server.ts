import type { IncomingMessage, ServerResponse } from 'node:http';

import { serve } from '../support/http-server.ts';

const PICTURE = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

/** Content for test workflows to fetch: JSON, a picture, and a gate. */
export interface FileServer {
	/** Serves the value as JSON from now on; n8n's HTTP Request makes one item of each entry of an array. */
	offer(value: unknown): string;
	/** A small PNG. */
	pictureUrl: string;
	/** A URL that responds only once the visitor is let through. */
	gateUrl: string;
	/** Resolves when a visitor is at the gate, with the function that lets it through. */
	atGate(): Promise<() => void>;
	close(): Promise<void>;
}

export async function startFileServer(): Promise<FileServer> {
	const offered: unknown[] = [];
	const visitors: Array<() => void> = [];
	let onVisitor: (() => void) | null = null;

	const { url, close } = await serve((request, response) => {
		const { pathname } = new URL(request.url ?? '/', 'http://localhost');
		const [, kind, value] = pathname.split('/');
		if (kind === 'json') sendJson(response, offered[Number(value)]);
		else if (kind === 'picture') response.setHeader('content-type', 'image/png').end(PICTURE);
		else if (kind === 'gate') hold(request, response);
		else response.writeHead(404).end();
	});
	const hold = (_request: IncomingMessage, response: ServerResponse) => {
		visitors.push(() => sendJson(response, { passed: true }));
		onVisitor?.();
	};

	return {
		offer: (value) => `${url}/json/${offered.push(value) - 1}`,
		pictureUrl: `${url}/picture/logo.png`,
		gateUrl: `${url}/gate`,
		async atGate() {
			while (visitors.length === 0) await new Promise<void>((resolve) => (onVisitor = resolve));
			return visitors.shift() as () => void;
		},
		close,
	};
}

function sendJson(response: ServerResponse, body: unknown): void {
	response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
