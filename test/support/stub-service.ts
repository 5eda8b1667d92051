// A service that answers what a test wants: for shapes the interface leaves open, which the sandbox,
// having chosen one, never gives.
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { createAuthority, issueServerCertificate } from '../../sandbox/src/authority.ts';

export interface StubAnswer {
	status?: number;
	contentType?: string;
	headers?: Record<string, string>;
	/** Text and bytes go out as they are, anything else as JSON. */
	body?: unknown;
}

export interface StubRequest {
	method: string;
	path: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	body: string;
}

export interface StubService {
	/** Requests in the order they came. */
	requests: StubRequest[];
	/** Decides what comes back, and when. */
	answer: (request: StubRequest) => StubAnswer | Promise<StubAnswer>;
	/** A credential for it, as a user would fill it in. */
	credential: object;
	url: string;
	close(): Promise<void>;
}

export async function startStubService(): Promise<StubService> {
	const authority = await createAuthority(Date.now());
	const { certificate, key } = await issueServerCertificate(authority, Date.now());
	const server = createServer({ cert: certificate, key }, (incoming, response) => {
		void read(incoming).then(async (request) => {
			stub.requests.push(request);
			const answer = await stub.answer(request);
			const { status = 200, contentType = 'application/json', headers, body } = answer;
			const isPlain = typeof body === 'string' || Buffer.isBuffer(body);
			response.writeHead(status, { 'content-type': contentType, ...headers });
			response.end(isPlain ? body : JSON.stringify(body));
		});
	});
	await once(server.listen(0, 'localhost'), 'listening');
	const url = `https://localhost:${(server.address() as AddressInfo).port}`;
	const stub: StubService = {
		requests: [],
		answer: () => ({ status: 500 }),
		credential: {
			baseUrl: url,
			apiToken: 'stub-token',
			trackedMailSpelling: 'AES',
			caCertificate: authority.certificate,
		},
		url,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return stub;
}

async function read(incoming: IncomingMessage): Promise<StubRequest> {
	let body = '';
	for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
	const { pathname, searchParams } = new URL(incoming.url ?? '/', 'https://localhost');
	const { method = '', headers } = incoming;
	return { method, path: pathname, query: searchParams, headers, body };
}
