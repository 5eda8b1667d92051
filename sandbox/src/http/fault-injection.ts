import type { NextFunction, Request, Response } from 'express';
import type { Fault, FaultAnswer, FaultPlan } from './faults.ts';
import { wireOf } from './wire.ts';

/** Runs before the service and fails requests as planned. */
export const injectFaults =
	({ faults }: { faults: FaultPlan }) =>
	(request: Request, response: Response, next: NextFunction): void => {
		const fault = faults.take(request);
		if (!fault) return next();
		response.locals.fault = fault.kind;
		const wire = wireOf(response);
		switch (fault.kind) {
			case 'status':
				return give(response, refusal(fault));
			case 'answer':
				if (!fault.processed) return give(response, fault);
				wire.fate = () => {
					for (const name of response.getHeaderNames()) response.removeHeader(name);
					give(response, fault);
				};
				return next();
			case 'delay':
				return delay(fault.ms, response, next);
			case 'cutBefore':
				return void request.socket.destroy();
			case 'cutAfter':
				wire.fate = () => {
					response.locals.isKeptBack = true;
					response.socket?.destroy();
				};
				return next();
			case 'cutAnswer':
				wire.fate = 'halved';
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
