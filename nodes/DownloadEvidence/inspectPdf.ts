import { createHash } from 'crypto';

/** What identifies a file, wherever a copy of it turns up. */
export interface Inspected {
	/** Bytes. */
	size: number;
	/** Hexadecimal, as `sha256sum` prints it. */
	sha256: string;
	/** Whether it begins as a PDF does. */
	isPdf: boolean;
	/** Whether it has a PDF's end mark; a truncated file does not. */
	isWhole: boolean;
}

const START = '%PDF-';

/** PDF readers look for the end mark in the last 1,024 bytes. */
const TAIL = 1024;

/** Reads a file once, chunk by chunk, and keeps only its first and last bytes. */
export async function inspectPdf(chunks: AsyncIterable<Uint8Array>): Promise<Inspected> {
	const hash = createHash('sha256');
	let size = 0;
	let head: Uint8Array = Buffer.alloc(0);
	let tail: Uint8Array = Buffer.alloc(0);
	for await (const chunk of chunks) {
		hash.update(chunk);
		size += chunk.length;
		if (head.length < START.length) head = Buffer.concat([head, chunk.subarray(0, START.length)]);
		tail = Buffer.concat([tail, chunk.subarray(-TAIL)]).subarray(-TAIL);
	}
	const isPdf = Buffer.from(head).toString('latin1').startsWith(START);
	return { size, sha256: hash.digest('hex'), isPdf, isWhole: Buffer.from(tail).includes('%%EOF') };
}
