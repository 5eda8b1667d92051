import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';

import { Busboy, type BusboyHeaders } from '@fastify/busboy';

/** The texts of a multipart body, as Express applications and the sandbox read them. */
export async function readForm(
	body: string,
	headers: IncomingHttpHeaders,
): Promise<Record<string, string>> {
	const fields: Record<string, string> = {};
	const parser = new Busboy({ headers: headers as BusboyHeaders });
	parser.on('field', (name, value) => (fields[name] = value));
	parser.on('file', (_, file) => file.resume());
	Readable.from([Buffer.from(body)]).pipe(parser);
	await once(parser, 'finish');
	return fields;
}
