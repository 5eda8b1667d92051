import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { badRequest, invalid } from './errors.ts';
import type { Attachment } from '../state/model.ts';

/** Rule SEND-08. */
const MAX_UPLOAD_BYTES = 250 * 1024 * 1024;
/** The limit for one field; a letter's text is one field. */
export const MAX_FIELD_BYTES = 20 * 1024 * 1024;
const MAX_FIELDS = 100_000;
const MAX_FIELDS_BYTES = 2 * MAX_FIELD_BYTES;
const MAX_FILES = 1000;

/** A file and the field it was sent in. */
export interface UploadedFile extends Attachment {
	field: string;
}

interface Upload {
	fields: Array<[name: string, value: string]>;
	files: UploadedFile[];
}

/** Which files a body may have. They come only in a form. */
export interface Files {
	/** The form field. */
	field: string;
	/** What the field may be called; by default so, with an optional `[]` or `[n]`. */
	names?: RegExp;
	/** How the description tells of them: one that must be there, or any number. */
	described?: 'one' | 'any';
}

export interface UploadOptions {
	folder: string;
	/** It may take none. */
	files: Files | undefined;
}

/**
 * Reads a multipart body. Files are streamed to disk, hashed on the way, and removed again if the
 * body turns out to be invalid. Data over the limit is read to its end and dropped, because a
 * client in the middle of an upload does not see an answer.
 */
export async function readMultipart(
	request: IncomingMessage,
	options: UploadOptions,
): Promise<Upload> {
	const upload: Upload = { fields: [], files: [] };
	uploads.set(request, upload);
	try {
		await receive(request, options, upload);
		return upload;
	} catch (error) {
		await discard(upload.files);
		throw error;
	}
}

const uploads = new WeakMap<IncomingMessage, Upload>();

/** What was read of a request's multipart body, as far as that went. */
export const uploadOf = (request: IncomingMessage): Upload | undefined => uploads.get(request);

/** The file without the field it was sent in, as a letter or a customer keeps it. */
export const asAttachment = ({ field: _, ...attachment }: UploadedFile): Attachment => attachment;

export const discard = (files: Attachment[]) =>
	Promise.all(files.map(({ path }) => rm(path, { force: true })));

async function receive(request: IncomingMessage, options: UploadOptions, upload: Upload) {
	const parser = openParser(request);
	const { folder, files: wanted } = options;
	const arriving: Readable[] = [];
	const writing: Array<Promise<void>> = [];
	let problem: Error | undefined;
	let diskError: Error | undefined;
	let fieldBytes = 0;
	let fileBytes = 0;

	// The parser passes no name for a part that has none, whatever its types say.
	parser.on('field', (name = '', value, _, isTruncated) => {
		fieldBytes += name.length + value.length;
		if (isTruncated || fieldBytes > MAX_FIELDS_BYTES)
			problem ??= invalid({ field: name, rule: 'maxSize', message: `${name} is too large` });
		else if (!problem) upload.fields.push([name, value]);
	});
	parser.on('file', (name = '', stream, filename, _encoding, contentType) => {
		arriving.push(stream);
		if (!wanted || !namesOf(wanted).test(name))
			problem ??= invalid({
				field: name,
				rule: 'unexpectedFile',
				message: `${name} takes no file`,
			});
		// A truncated form fails its files too; no one else handles that error.
		if (problem) return void stream.on('error', () => undefined).resume();
		const id = randomUUID();
		const file = { id, name: filename || 'attachment', contentType, size: 0, sha256: '' };
		const attachment = { ...file, field: name, path: join(folder, id) };
		upload.files.push(attachment);
		writing.push(
			write(stream, attachment, (bytes) => {
				fileBytes += bytes;
				if (fileBytes > MAX_UPLOAD_BYTES) problem ??= tooLarge(name);
				return problem === undefined;
			}).catch((error: NodeJS.ErrnoException) => {
				// Any other is the parser's, which says so itself.
				if (error.syscall !== undefined) diskError = error;
				parser.emit('error', error);
			}),
		);
	});
	for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
		parser.on(limit, () => (problem ??= badRequest('The multipart body has too many parts')));

	const [parsed] = await Promise.allSettled([parse(request, parser)]);
	if (parsed.status === 'rejected') for (const file of arriving) file.destroy();
	await Promise.all(writing);
	if (diskError) throw diskError;
	if (problem) throw problem;
	if (parsed.status === 'rejected') throw parsed.reason;
}

function openParser(request: IncomingMessage): BusboyInstance {
	try {
		return new Busboy({
			headers: request.headers as BusboyHeaders,
			limits: { fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: MAX_FILES },
			// One without a file's name is text, whatever its type.
			isPartAFile: (_field, _type, filename) => filename !== undefined,
		});
	} catch (error) {
		throw badRequest(`Malformed multipart body: ${(error as Error).message}`);
	}
}

/** Not `pipeline`, which would close the connection before an answer is sent. */
function parse(request: IncomingMessage, parser: BusboyInstance): Promise<void> {
	return new Promise((resolve, reject) => {
		// A request that was read completely closes too, while files are still being written.
		const cutOff = () => {
			if (!request.complete) parser.emit('error', new Error('the connection was closed'));
		};
		request.once('close', cutOff);
		parser.once('finish', () => {
			request.off('close', cutOff);
			resolve();
		});
		parser.on('error', (error: unknown) => {
			request.off('close', cutOff);
			request.unpipe(parser);
			request.resume();
			reject(badRequest(`Malformed multipart body: ${(error as Error).message}`));
		});
		request.pipe(parser);
	});
}

async function write(
	source: Readable,
	attachment: Attachment,
	wanted: (bytes: number) => boolean,
): Promise<void> {
	const hash = createHash('sha256');
	await pipeline(
		source,
		async function* (chunks: AsyncIterable<Buffer>) {
			for await (const chunk of chunks) {
				if (!wanted(chunk.length)) continue;
				hash.update(chunk);
				attachment.size += chunk.length;
				yield chunk;
			}
		},
		createWriteStream(attachment.path),
	);
	attachment.sha256 = hash.digest('hex');
}

const namesOf = ({ field, names = new RegExp(`^${field}(\\[\\d*\\])?$`) }: Files): RegExp => names;

function tooLarge(name: string) {
	const field = name.replace(/\[\d*\]$/, '');
	return invalid({ field, rule: 'maxSize', message: 'Files may have 250 MB in total' });
}
