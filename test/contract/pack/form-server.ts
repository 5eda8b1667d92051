import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

import busboy from 'busboy';

import { serve } from '../../support/http-server.ts';

/** A multipart request as a server understood it. */
export interface ReceivedForm {
	fields: Array<[name: string, value: string]>;
	files: Array<{ field: string; fileName: string; mimeType: string; content: Buffer }>;
	/** The header, and the bytes that came. */
	contentLength: string | undefined;
	transferEncoding: string | undefined;
	bytes: number;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A server on a free port; `handle` is called for each request, so tests may exchange it. */
export async function startServer(handle: () => Handler) {
	return await serve((request, response) => {
		handle()(request, response).catch((error: Error) => {
			response.writeHead(500).end(error.message);
		});
	});
}

/** Parses with busboy, as Express applications and the sandbox do. */
export async function readForm(request: IncomingMessage): Promise<ReceivedForm> {
	const { headers } = request;
	const form: ReceivedForm = {
		fields: [],
		files: [],
		contentLength: headers['content-length'],
		transferEncoding: headers['transfer-encoding'],
		bytes: 0,
	};
	const parser = busboy({ headers, defParamCharset: 'utf8', preservePath: true });
	parser.on('field', (name, value) => form.fields.push([name, value]));
	parser.on('file', (field = '', stream, { filename: fileName = '', mimeType }) => {
		const chunks: Buffer[] = [];
		stream.on('data', (chunk: Buffer) => chunks.push(chunk));
		stream.on('end', () => {
			form.files.push({ field, fileName, mimeType, content: Buffer.concat(chunks) });
		});
	});
	request.on('data', (chunk: Buffer) => (form.bytes += chunk.length));
	request.pipe(parser);
	await once(parser, 'close');
	return form;
}
