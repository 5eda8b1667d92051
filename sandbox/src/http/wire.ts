import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';

/** What goes over the wire for one request. */
export interface Wire {
	/** Sees each part of the request's body on its way to whoever reads it. */
	onReceived: (bytes: Buffer) => void;
	/** Sees each part of the answer's body as it is sent. */
	onSent: (bytes: Buffer) => void;
	/**
	 * What happens to the answer: it is sent; it is dropped, and this is called once it is complete, when it
	 * may be sent after all; or it is cut halfway through its first part.
	 */
	fate: 'sent' | 'halved' | (() => void);
}

/**
 * The one place where Node's own request and response are changed, since nothing else sees or stops what
 * others read and write: reading a request here would take it from the one who is to read it.
 *
 * Changes are persisted before the first byte of an answer leaves. If that fails, there is no answer:
 * the connection ends, since the change has happened and an error would be wrong.
 */
export const holdWire =
	({ commit }: { commit: () => void }) =>
	(request: Request, response: Response, next: NextFunction): void => {
		const wire: Wire = { onReceived: () => {}, onSent: () => {}, fate: 'sent' };
		response.locals.wire = wire;
		tap(request, wire);
		const own = ownMethods(response);
		const send = (method: 'write' | 'end', given: unknown[]): unknown => {
			const bytes = bytesOf(given[0], given[1]);
			if (wire.fate === 'halved') return cut(response, own.write, wire, bytes);
			if (bytes) wire.onSent(bytes);
			return own[method](...given);
		};
		Object.assign(response, {
			writeHead(...given: unknown[]) {
				if (isDropped(wire)) return response;
				try {
					commit();
				} catch {
					response.destroy();
				}
				return own.writeHead(...given);
			},
			flushHeaders() {
				if (!isDropped(wire)) own.flushHeaders();
			},
			write: (...given: unknown[]) => isDropped(wire) || send('write', given),
			end(...given: unknown[]) {
				if (!isDropped(wire)) send('end', given);
				else {
					const happen = wire.fate as () => void;
					wire.fate = 'sent';
					happen();
				}
				return response;
			},
		});
		next();
	};

export const wireOf = (response: Response): Wire => response.locals.wire as Wire;

const isDropped = ({ fate }: Wire): boolean => typeof fate === 'function';

type Method = (...given: unknown[]) => unknown;

const ownMethods = (response: Response) => ({
	writeHead: response.writeHead.bind(response) as Method,
	flushHeaders: response.flushHeaders.bind(response),
	write: response.write.bind(response) as Method,
	end: response.end.bind(response) as Method,
});

function tap(request: IncomingMessage, wire: Wire): void {
	const push = request.push.bind(request);
	request.push = (chunk: unknown, encoding?: BufferEncoding) => {
		if (Buffer.isBuffer(chunk)) wire.onReceived(chunk);
		return push(chunk, encoding);
	};
}

/** An answer without a body has no half: it is cut before it. */
function cut(response: Response, write: Method, wire: Wire, bytes: Buffer | null): boolean {
	const destroy = () => response.socket?.destroy();
	if (bytes === null || bytes.length < 2) destroy();
	else {
		const half = bytes.subarray(0, Math.ceil(bytes.length / 2));
		wire.onSent(half);
		write(half, destroy);
	}
	return true;
}

function bytesOf(chunk: unknown, encoding: unknown): Buffer | null {
	if (typeof chunk === 'string')
		return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
	if (!(chunk instanceof Uint8Array)) return null;
	return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
