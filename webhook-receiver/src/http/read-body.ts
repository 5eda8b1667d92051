import type { Request, RequestHandler, Response } from 'express';
import { HttpError } from '../core/http-error.ts';
import type { BodyMemory, Reading } from './body-memory.ts';

/** Bodies up to this size are always read; so are those of nearly all events. */
export const SMALL_BYTES = 16 * 1024;

export interface BodyOptions {
	/** The most bytes that a body may have. */
	limit: number;
	/** Where bodies above SMALL_BYTES have theirs. */
	memory: BodyMemory;
	isTrusted(request: Request): boolean;
}

/**
 * Reads a body as it came: a signature covers the exact bytes. Not Express's own reader, which keeps each
 * piece that came as an object of its own: of a megabyte sent byte by byte that is a hundred in memory.
 */
export function readBody({ limit, memory, isTrusted }: BodyOptions): RequestHandler {
	return (request, response, next) => {
		const encoding = request.get('content-encoding') ?? 'identity';
		if (encoding.toLowerCase() !== 'identity') {
			const message = `Send the body without a content encoding; it has ${encoding.slice(0, 20)}.`;
			throw new HttpError(400, 'unsupported-encoding', message);
		}
		const most = Number(request.headers['content-length'] ?? limit);
		if (most > limit) throw tooLarge();
		const reading: Reading = {
			isTrusted: isTrusted(request),
			giveUp: () => fail(tooSlow(response)),
		};
		let bytes = Buffer.allocUnsafe(Math.min(most, SMALL_BYTES));
		let length = 0;

		const append = (chunk: Buffer) => {
			length += chunk.copy(bytes, length);
		};
		const onData = (chunk: Buffer) => {
			const needed = length + chunk.length;
			if (needed <= bytes.length) return append(chunk);
			if (needed > most) return fail(tooLarge());
			const size = Math.min(Math.max(needed, 2 * bytes.length), most);
			request.pause();
			memory.take(reading, size - bytes.length, () => {
				const larger = Buffer.allocUnsafeSlow(size);
				bytes.copy(larger, 0, 0, length);
				bytes = larger;
				append(chunk);
				request.resume();
			});
		};
		const onEnd = () => {
			memory.whole(reading);
			request.body = bytes.subarray(0, length);
			next();
		};
		const stop = () => {
			request.off('data', onData).off('end', onEnd);
			memory.release(reading);
		};
		const fail = (error: HttpError) => {
			stop();
			next(error);
		};
		response.once('close', stop);
		request.on('data', onData).on('end', onEnd);
	};
}

function tooLarge(): HttpError {
	return new HttpError(413, 'body-too-large', 'The body is too large.');
}

function tooSlow(response: Response): HttpError {
	response.set('connection', 'close');
	const message = 'The body came slowly, and others were waiting. Send it again.';
	return new HttpError(503, 'too-slow', message);
}
