import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { namesInWords } from '../fields/describeValue';
import { invalidItem } from '../fields/invalidItem';
import type { FilePart } from '../transport/multipart';

/** Most bytes of all attachments in one request (rule SEND-08). */
const MAX_ATTACHMENT_BYTES = 250 * 1024 * 1024;

const DROPPED =
	" A node before this one may have dropped the file. n8n's Extract from File does; a Merge node brings it back.";

/** A file part and the origin of its bytes: the same origin means the same bytes. */
export interface StoredFile extends FilePart {
	origin: string;
}

/**
 * Opens an item's binary fields as form parts; reads only their sizes for now.
 *
 * @param parameter that names the fields, for messages
 * @throws InvalidItem when the item lacks one of them, one is empty, or they are too large together
 */
export async function readInputFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	parameter: string,
	names: string[],
): Promise<StoredFile[]> {
	const missing = names.filter((name) => findBinary(context, itemIndex, name) === null);
	if (missing.length > 0) {
		const present = binaryNames(context, itemIndex);
		const advice = present.length === 0 ? DROPPED : '';
		const problems = missing.map(
			(name) =>
				`The item has no binary field "${name}". Its binary fields: ${namesInWords(present)}.${advice}`,
		);
		throw invalidItem(parameter, ...problems);
	}
	const files = await Promise.all(
		names.map(async (name, position) => {
			const binary = findBinary(context, itemIndex, name) as Binary;
			const content = await openBinary(context, binary);
			return {
				field: `attachments[${position}]`,
				fileName:
					binary.fileName || `${name}${binary.fileExtension ? `.${binary.fileExtension}` : ''}`,
				mimeType: binary.mimeType || 'application/octet-stream',
				...content,
			};
		}),
	);
	const empty = files.flatMap(({ size, fileName }, at) =>
		size === 0 ? [`The file "${fileName}" in the binary field "${names[at]}" is empty.`] : [],
	);
	if (empty.length > 0) throw invalidItem(parameter, ...empty);
	const total = totalSize(files);
	if (total > MAX_ATTACHMENT_BYTES) {
		const size = Math.ceil(total / 1024 / 1024);
		throw invalidItem(parameter, `The files are ${size} MB in total; the maximum is 250 MB.`);
	}
	return files;
}

export function totalSize(files: readonly FilePart[]): number {
	return files.reduce((sum, { size }) => sum + size, 0);
}

type Binary = ReturnType<IExecuteFunctions['helpers']['assertBinaryData']>;

/** Where n8n keeps files in the JSON of an item, with the workflow's setting `binaryMode` "combined". */
const IN_JSON = '_files';

/** By its name, or with that setting also by its path in the JSON, as n8n's own nodes find it. */
function findBinary(context: IExecuteFunctions, itemIndex: number, name: string): Binary | null {
	const { binary = {} } = context.getInputData()[itemIndex];
	if (Object.hasOwn(binary, name)) return binary[name];
	for (const path of [name, `${IN_JSON}.${name}`]) {
		try {
			const found = context.helpers.assertBinaryData(itemIndex, path);
			// By a name that every object has, it finds something else.
			if (typeof found?.mimeType === 'string') return found;
		} catch {
			// Not there.
		}
	}
	return null;
}

function binaryNames(context: IExecuteFunctions, itemIndex: number): string[] {
	const { binary = {}, json } = context.getInputData()[itemIndex];
	return [binary, json[IN_JSON]].flatMap((fields) => (isRecord(fields) ? Object.keys(fields) : []));
}

/** Opens a file of n8n: it keeps binary data in its own store, under an id, or in the item as Base64. */
export async function openBinary(
	{ helpers }: IExecuteFunctions,
	{ id, data }: Pick<Binary, 'id' | 'data'>,
): Promise<Pick<StoredFile, 'size' | 'open' | 'origin'>> {
	if (id === undefined) {
		const bytes = Buffer.from(data, 'base64');
		const origin = createHash('sha256').update(bytes).digest('base64url');
		return { size: bytes.length, open: () => chunksOf(bytes), origin };
	}
	const { fileSize } = await helpers.getBinaryMetadata(id);
	return { size: fileSize, open: async () => await helpers.getBinaryStream(id), origin: id };
}

/** Bytes per chunk, as n8n's store delivers them. */
const CHUNK = 64 * 1024;

// In pieces: a socket counts one write as sent, though the connection may break before it leaves.
async function* chunksOf(bytes: Buffer) {
	for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}
