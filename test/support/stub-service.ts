// A service that returns whatever a test wants: for shapes the interface leaves open, where the
// sandbox has settled on one.
import { once } from 'node:events';
import {
	STATUS_CODES,
	createServer as createHttpServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';

import { localhostCertificate, resetConnection, watchConnections } from './tls-server.ts';

export interface StubAnswer {
	status?: number;
	contentType?: string;
	/** Null leaves one out that would be there otherwise. */
	headers?: Record<string, string | null>;
	/** Strings and bytes are sent as they are, anything else as JSON. */
	body?: unknown;
	/** Bytes of the response, from its status line on, sent before the connection ends; 0 is none. */
	cutAt?: number;
	/** Ends the connection with RST, not FIN: where it is cut, or after the answer. */
	rst?: boolean;
	/** Keeps the connection open where it would be cut, and says nothing more. */
	stalls?: boolean;
}

/** A request as known before its body. */
export interface StubHead {
	method: string;
	path: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	/** SHA-256 fingerprint of the client's certificate. */
	clientCertificate: string | null;
}

export interface StubRequest extends StubHead {
	/** What arrived of it. */
	body: string;
	/** Whether the body arrived completely. */
	complete: boolean;
}

export interface StubService {
	/** Requests in the order their bodies ended, including cut ones. */
	requests: StubRequest[];
	/** TCP connections so far. */
	connections: number;
	/** Completed TLS handshakes. */
	handshakes: number;
	/** Connections that are open now. */
	open: number;
	/** Decides what to answer, and when. Not called once the connection is cut. */
	answer: (request: StubRequest) => StubAnswer | Promise<StubAnswer>;
	/** An answer to send before the body is read; undefined to use `answer`. */
	earlyAnswer: (head: StubHead) => StubAnswer | undefined;
	/** Body bytes to read before cutting the connection without an answer; undefined for no cut. */
	readBytes: (head: StubHead) => number | undefined;
	/** What happens to a connection's TLS handshake, counted from 1. */
	handshake: (connection: number) => 'ok' | 'cutInHandshake';
	/** A credential for it, as a user would fill it in. */
	credential: object;
	url: string;
	close(): Promise<void>;
}

/** @param tls for example `requestCert` and `rejectUnauthorized`, or a TLS version */
export async function startStubService(tls: TlsOptions = {}): Promise<StubService> {
	const { cert, key, authority } = await localhostCertificate();
	const options = { cert, key, ...(tls.requestCert && { rejectUnauthorized: false }) };
	const server = createServer({ ...options, ...tls }, (incoming, response) => {
		void respond(stub, incoming, response);
	});
	watchConnections(server, () => stub.handshake(++stub.connections) === 'cutInHandshake');
	server.on('secureConnection', (socket) => {
		stub.handshakes++;
		stub.open++;
		socket.once('close', () => stub.open--);
	});
	const url = await listen(server);
	const stub: StubService = {
		requests: [],
		connections: 0,
		handshakes: 0,
		open: 0,
		answer: () => ({ status: 500 }),
		earlyAnswer: () => undefined,
		readBytes: () => undefined,
		handshake: () => 'ok',
		credential: { ...credentialFor(url), caCertificate: authority },
		url,
		close: () => close(server),
	};
	return stub;
}

/** A port that speaks plain HTTP, whatever its credential says. */
export async function startPlainHttp(): Promise<
	Pick<StubService, 'url' | 'credential' | 'connections' | 'close'> & { requests: number }
> {
	const server = createHttpServer((_request, response) => {
		plain.requests++;
		response.end();
	});
	server.on('connection', () => void plain.connections++);
	const url = await listen(server);
	const plain = {
		url,
		credential: credentialFor(url),
		connections: 0,
		requests: 0,
		close: () => close(server),
	};
	return plain;
}

async function respond(
	stub: StubService,
	incoming: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const head = headOf(incoming);
	const early = stub.earlyAnswer(head);
	if (early) {
		stub.requests.push({ ...head, body: '', complete: false });
		return give(early, response);
	}
	const cut = stub.readBytes(head);
	const request = { ...head, ...(await read(incoming, cut)) };
	stub.requests.push(request);
	if (request.complete && cut === undefined) give(await stub.answer(request), response);
}

function give(answer: StubAnswer, response: ServerResponse): void {
	const { status = 200, contentType = 'application/json', headers, cutAt } = answer;
	const { rst = false, stalls = false } = answer;
	const bytes = bytesOf(answer.body);
	const named = { 'content-type': contentType, ...headers };
	const given = (fields: object) => Object.entries(fields).filter(([, value]) => value !== null);
	if (cutAt === undefined && !rst) {
		for (const [name, value] of given(named)) response.setHeader(name, String(value));
		response.statusCode = status;
		return void response.end(bytes);
	}
	const fields = given({ 'content-length': bytes.length, connection: 'close', ...named });
	const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
	for (const [name, value] of fields) lines.push(`${name}: ${value}`);
	const raw = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]);
	const { socket } = response;
	socket?.write(raw.subarray(0, cutAt), () => {
		if (stalls) return;
		if (rst) resetConnection(socket);
		else socket.destroy();
	});
}

function bytesOf(body: unknown): Buffer {
	if (Buffer.isBuffer(body)) return body;
	return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
}

function headOf({ method = '', url = '/', headers, socket }: IncomingMessage): StubHead {
	const { pathname, searchParams } = new URL(url, 'https://localhost');
	const { fingerprint256 = null } = (socket as TLSSocket).getPeerCertificate() ?? {};
	return {
		method,
		path: pathname,
		query: searchParams,
		headers,
		clientCertificate: fingerprint256,
	};
}

/** Reads the body, or that many bytes of it before cutting the connection. */
async function read(incoming: IncomingMessage, upTo: number | undefined) {
	const { socket } = incoming;
	const chunks: Buffer[] = [];
	let left = upTo ?? Infinity;
	try {
		for await (const chunk of left > 0 ? incoming : []) {
			chunks.push((chunk as Buffer).subarray(0, left));
			left -= (chunk as Buffer).length;
			if (left <= 0) break;
		}
	} catch {
		// The client has disconnected; what arrived before counts.
	}
	if (upTo !== undefined) socket.destroy();
	const bytes = Buffer.concat(chunks);
	const isWhole = bytes.length === Number(incoming.headers['content-length'] ?? -1);
	return { body: bytes.toString(), complete: isWhole || (incoming.complete && left > 0) };
}

async function listen(server: Server): Promise<string> {
	await once(server.listen(0, 'localhost'), 'listening');
	return `https://localhost:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
}

const credentialFor = (baseUrl: string) => ({
	baseUrl,
	apiToken: 'stub-token',
	trackedMailSpelling: 'AES',
});
