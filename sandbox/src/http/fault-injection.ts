import type { NextFunction, Request, Response } from 'express';
import { resetConnection } from './connections.ts';
import type { Store } from '../state/store.ts';
import type { FaultAnswer, FaultPlan, RequestFault } from './faults.ts';
import type { MatchableRequest } from './request-matcher.ts';

/** Runs before the service and fails requests as planned. */
export const injectFaults =
	({ faults, store }: { faults: FaultPlan; store: Store }) =>
	(request: Request, response: Response, next: NextFunction): void => {
		const known = matchable(store, request);
		const begin = (body: unknown, goOn: () => void) =>
			inject(faults.take({ ...known, body }), request, response, goOn);
		if (!hasBody(request) || !faults.waitsForBody(known)) return begin(undefined, next);
		response.locals.onBody = (body: object) =>
			new Promise<void>((resolve, reject) => {
				response.once('close', () => reject(new Faulted()));
				begin(body, resolve);
			});
		next();
	};

/** Whether a body comes with the request. */
export const hasBody = ({ headers }: Request): boolean =>
	headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The request got its fault instead of what it asked for. */
export class Faulted extends Error {}

/**
 * Where a body is read: fails the request as rules say that had to see it first.
 *
 * @throws Faulted
 */
export const injectBodyFaults = async (response: Response, body: object): Promise<void> =>
	(response.locals.onBody as ((body: object) => Promise<void>) | undefined)?.(body);

function matchable(store: Store, request: Request): MatchableRequest {
	const { method, path } = request;
	const account = store.accountByToken(request.get('x-api-token') ?? '')?.name ?? null;
	const named = path.split('/').flatMap((part) => store.messages.get(part) ?? []);
	const addresses = named.map(({ contact }) => contact.email);
	return { method, path, account, addresses, body: undefined };
}

function inject(
	fault: RequestFault | null,
	request: Request,
	response: Response,
	goOn: () => void,
): void {
	if (!fault) return goOn();
	response.locals.fault = fault.kind;
	switch (fault.kind) {
		case 'status':
			return give(response, refusal(fault));
		case 'answer':
			if (!fault.processed) return give(response, fault);
			giveAfter(response, fault);
			return goOn();
		case 'delay':
			return delay(fault.ms, response, goOn);
		case 'cutBefore':
			return void request.socket.destroy();
		case 'cutBody':
			return cutBody(request, fault.afterBytes);
		case 'cutAfter':
			cutAfter(response);
			return goOn();
		case 'cutAnswer':
			cutAnswer(response);
			return goOn();
	}
}

/** In real time; never, if the client disconnects first. */
function delay(ms: number, response: Response, next: () => void): void {
	const timer = setTimeout(next, ms);
	response.once('close', () => clearTimeout(timer));
}

type Given = Omit<FaultAnswer, 'kind' | 'processed'>;

/** In the interface's error format. */
function refusal(fault: Extract<RequestFault, { kind: 'status' }>): Given {
	const { status, retryAfter, message = 'A fault that was asked for' } = fault;
	const { code = status === 429 ? 'too-many-requests' : 'requested-fault' } = fault;
	const headers: Given['headers'] = {};
	if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
	return { status, headers, body: JSON.stringify({ message, code }), reset: false };
}

function give(response: Response, { status, headers, body, contentType, reset }: Given): void {
	const type = contentType ?? (body ? 'application/json; charset=utf-8' : null);
	response.status(status).set('X-Sandbox-Fault', response.locals.fault);
	// Not set(), which would add a charset to a type that has none.
	if (type !== null) response.setHeader('Content-Type', type);
	// Without it, an answer given after processing goes out in chunks.
	if (![204, 304].includes(status)) response.setHeader('Content-Length', Buffer.byteLength(body));
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	if (reset) giveAndReset(response, body);
	else response.end(body);
}

/** end() would close the connection properly, and a reset must come before that. */
function giveAndReset(response: Response, body: string): void {
	const { socket } = response;
	response.flushHeaders();
	if (body) response.write(body);
	socket?.write('', () => resetConnection(socket));
}

function cutBody(request: Request, afterBytes: number): void {
	if (request.readableEnded) return void request.socket.destroy();
	let read = 0;
	request.on('data', (chunk: Buffer) => {
		read += chunk.length;
		if (read >= afterBytes) request.socket.destroy();
	});
	// Covers bodies shorter than that.
	request.once('end', () => request.socket.destroy());
}

function cutAfter(response: Response): void {
	insteadOfAnswer(response, () => response.socket?.destroy());
}

function giveAfter(response: Response, answer: FaultAnswer): void {
	insteadOfAnswer(response, () => {
		for (const name of response.getHeaderNames()) response.removeHeader(name);
		give(response, answer);
	});
}

/** Discards the answer and calls `happen` once it is complete. */
function insteadOfAnswer(response: Response, happen: () => void): void {
	const { writeHead, flushHeaders, write, end } = response;
	response.writeHead = () => response;
	response.flushHeaders = () => undefined;
	response.write = () => true;
	response.end = () => {
		Object.assign(response, { writeHead, flushHeaders, write, end });
		response.locals.isKeptBack = true;
		happen();
		return response;
	};
}

/** Sends headers and half of the first bytes. An empty answer has no half: it is cut before it. */
function cutAnswer(response: Response): void {
	const write = response.write.bind(response);
	const cut = (chunk: unknown) => {
		const bytes = Buffer.from(chunk as string);
		write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.socket?.destroy());
	};
	response.write = (chunk: unknown) => {
		cut(chunk);
		return true;
	};
	response.end = (chunk?: unknown) => {
		const isEmpty = chunk === undefined || chunk === null || typeof chunk === 'function';
		if (isEmpty || Buffer.from(chunk as string).length < 2) response.socket?.destroy();
		else cut(chunk);
		return response;
	};
}
