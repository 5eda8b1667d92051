import type { NextFunction, Request, Response } from 'express';
import type { Fault, FaultPlan } from './faults.ts';

/** Stands before the service and lets requests fail as planned. */
export const injectFaults =
	(plan: FaultPlan) =>
	(request: Request, response: Response, next: NextFunction): void => {
		const fault = plan.take(request.method, request.path);
		if (!fault) return next();
		response.locals.fault = fault.kind;
		switch (fault.kind) {
			case 'status':
				return refuse(response, fault);
			case 'delay':
				return delay(request, fault.ms, next);
			case 'cutBefore':
				return void request.socket.destroy();
			case 'cutBody':
				return cutBody(request, fault.afterBytes);
			case 'cutAfter':
				cutAfter(response);
				return next();
			case 'cutAnswer':
				cutAnswer(response);
				return next();
		}
	};

function refuse(response: Response, fault: Extract<Fault, { kind: 'status' }>): void {
	const { status, retryAfter, body, code, message = 'A fault that was asked for' } = fault;
	response.status(status).set('X-Sandbox-Fault', fault.kind);
	if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter));
	if (body === 'empty') return void response.end();
	if (body === 'html') {
		response.type('html').send(`<!doctype html><title>${status}</title><h1>${status}</h1>`);
		return;
	}
	response.json({ message, code: code ?? (status === 429 ? 'too-many-requests' : 'fault') });
}

/** A client that has gone away by then asked for nothing any more. */
function delay(request: Request, ms: number, next: NextFunction): void {
	const timer = setTimeout(next, ms);
	request.socket.once('close', () => clearTimeout(timer));
}

function cutBody(request: Request, afterBytes: number): void {
	let read = 0;
	request.on('data', (chunk: Buffer) => {
		read += chunk.length;
		if (read >= afterBytes) request.socket.destroy();
	});
	// Also when there is less of it than that.
	request.once('end', () => request.socket.destroy());
}

/** Whatever is answered goes nowhere. */
function cutAfter(response: Response): void {
	response.writeHead = () => response;
	response.flushHeaders = () => undefined;
	response.write = () => true;
	response.end = () => {
		response.socket?.destroy();
		return response;
	};
}

/** Headers and half of the first bytes go out. An empty answer has no half: it is cut before. */
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
