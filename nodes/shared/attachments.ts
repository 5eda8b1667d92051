import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { FilePart } from './multipart';
import { ANSWER_TIMEOUT } from './service';

/** Largest total of all attachments of one request: 250 × 1024 × 1024 bytes (rule SEND-08). */
export const MAX_ATTACHMENT_BYTES = 250 * 1024 * 1024;

/** A file part, and where its bytes are: the same origin means the same bytes. */
export interface StoredFile extends FilePart {
	origin: string;
}

/** Names from a comma-separated list, as users type them. */
export function fieldNames(list: string): string[] {
	return list
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
}

/**
 * Opens the named binary fields of an item as parts of a form; nothing is read yet but their sizes.
 *
 * @throws NodeOperationError of n8n when the item has no such field.
 */
export async function readAttachments(
	context: IExecuteFunctions,
	itemIndex: number,
	names: string[],
): Promise<StoredFile[]> {
	return await Promise.all(
		names.map(async (name, position) => {
			const binary = context.helpers.assertBinaryData(itemIndex, name);
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
}

type Binary = ReturnType<IExecuteFunctions['helpers']['assertBinaryData']>;

// n8n keeps binary data in a store of its own, under an id, or in the item itself as Base64.
async function openBinary(
	{ helpers }: IExecuteFunctions,
	{ id, data }: Binary,
): Promise<Pick<StoredFile, 'size' | 'open' | 'origin'>> {
	if (id === undefined) {
		const bytes = Buffer.from(data, 'base64');
		const origin = createHash('sha256').update(bytes).digest('base64url');
		return { size: bytes.length, open: () => chunksOf(bytes), origin };
	}
	const { fileSize } = await helpers.getBinaryMetadata(id);
	return { size: fileSize, open: async () => await helpers.getBinaryStream(id), origin: id };
}

/** Bytes at a time, as n8n's store gives them. */
const CHUNK = 64 * 1024;

// In pieces: what is handed to a socket at once counts as written, though the connection may break before
// any of it has left.
async function* chunksOf(bytes: Buffer) {
	for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

/** Milliseconds to allow for an upload: a second for each 64 KiB beside what any request has. */
export function uploadTimeout(bytes: number): number {
	return ANSWER_TIMEOUT + Math.ceil(bytes / (64 * 1024)) * 1000;
}
