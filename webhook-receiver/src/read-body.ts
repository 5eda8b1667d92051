import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/** How far an oversize body is read and thrown away, so that its sender sees the answer. */
const DISCARD_AT_MOST = 16 * 1024 * 1024;

/** The body as it came, byte by byte, since its signature covers exactly that. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
	const encoding = request.headers['content-encoding'];
	if (encoding !== undefined && encoding !== 'identity') {
		throw new HttpError(400, 'unsupported-encoding', 'Send the body without a content encoding.');
	}
	const declared = Number(request.headers['content-length'] ?? 0);
	if (declared > DISCARD_AT_MOST) throw tooLarge(limit);

	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size <= limit) chunks.push(chunk);
		else chunks.length = 0;
		if (size > DISCARD_AT_MOST) break;
	}
	if (size > limit) throw tooLarge(limit);
	return Buffer.concat(chunks);
}

function tooLarge(limit: number): HttpError {
	return new HttpError(413, 'body-too-large', `The body is larger than ${limit} bytes.`);
}
