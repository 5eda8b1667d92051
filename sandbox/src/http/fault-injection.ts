import type { NextFunction, Request, Response } from 'express';
import type { Fault, FaultAnswer, FaultPlan } from './faults.ts';

/** Runs before the service and fails requests as planned. */
export const injectFaults =
	({ faults }: { faults: FaultPlan }) =>
	(request: Request, response: Response, next: NextFunction): void => {
		const fault = faults.take(request);
		if (!fault) return next();
		response.locals.fault = fault.kind;
		switch (fault.kind) {
			case 'status':
				return give(response, refusal(fault));
			case 'answer':
				if (!fault.processed) return give(response, fault);
				giveAfter(response, fault);
				return next();
			case 'delay':
				return delay(fault.ms, response, next);
			case 'cutBefore':
				return void request.socket.destroy();
			case 'cutAfter':
				insteadOfAnswer(response, () => response.socket?.destroy());
				return next();
			case 'cutAnswer':
				cutAnswer(response);
				return next();
		}
	};

/** In real time; never, if the client disconnects first. */
function delay(ms: number, response: Response, next: () => void): void {
	const timer = setTimeout(next, ms);
	response.once('close', () => clearTimeout(timer));
}

type Given = Omit<FaultAnswer, 'kind' | 'processed'>;

/** In the interface's error format. */
function refusal(fault: Extract<Fault, { kind: 'status' }>): Given {
	const { status, retryAfter, message = 'A fault that was asked for' } = fault;
	const { code = status === 429 ? 'too-many-requests' : 'requested-fault' } = fault;
	const headers: Given['headers'] = {};
	if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
	return { status, headers, body: JSON.stringify({ message, code }) };
}

function give(response: Response, { status, headers, body, contentType }: Given): void {
	const type = contentType ?? (body ? 'application/json; charset=utf-8' : null);
	response.status(status).set('X-Sandbox-Fault', response.locals.fault);
	// Not set(), which would add a charset to a type that has none.
	if (type !== null) response.setHeader('Content-Type', type);
	// Without it, an answer given after processing goes out in chunks.
	if (![204, 304].includes(status)) response.setHeader('Content-Length', Buffer.byteLength(body));
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	response.end(body);
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
