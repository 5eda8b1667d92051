import { createHash } from 'crypto';

/** What a file is, judged only by its bytes. */
export interface InspectedPdf {
	/** Bytes. */
	size: number;
	/** Hexadecimal, as `sha256sum` prints it: identifies the file, wherever a copy of it turns up. */
	sha256: string;
	/** Whether it is a PDF or the beginning of one, not a page that mentions one. */
	isPdf: boolean;
	/** Whether an end mark stands anywhere in it; what was cut before the first has none. */
	hasEndMark: boolean;
	/** Whether the last of them has nothing but blanks behind it. */
	endsWithMark: boolean;
	/** Whether nothing is missing behind its last byte, unless later changes, each of them as a whole. */
	endsAsPdf: boolean;
}

const START = '%PDF-';
const END = '%%EOF';

/** Readers take what stands before the header, up to this many bytes in all. */
const HEAD = 1024;

/** Holds `startxref`, an offset and the end mark, with the blanks between them. */
const TAIL = 1024;

const BLANKS = '\0\t\n\f\r ';
const BLANK_BYTES = new Set(Buffer.from(BLANKS));
const RUN_OF_BLANKS = new RegExp(`[${BLANKS}]+`, 'g');

/** A file ends with the offset of its last table and the end mark (ISO 32000-2, 7.5.5). */
const ENDING = /startxref (\d+) ?%%EOF$/;

/** How large a file prepared for the web is that has no later changes (ISO 32000-2, Annex F). */
const LINEARIZED = /\/L\s+(\d+)/;

const PAGE = /^[\s\u00EF\u00BB\u00BF]*[<{[]|<(?:!doctype|html|head|body)\b/i;

/** Reads a file once, chunk by chunk, and keeps only what its beginning and its end say. */
export async function inspectPdf(chunks: AsyncIterable<Uint8Array>): Promise<InspectedPdf> {
	const hash = createHash('sha256');
	let size = 0;
	let head = '';
	let tail = '';
	let hasEndMark = false;
	for await (const chunk of chunks) {
		const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
		hash.update(bytes);
		size += bytes.length;
		// The header may stand at the end of one, followed by what it says of a linearized file.
		head += bytes.toString('latin1', 0, 2 * HEAD - head.length);
		const seam = tail + bytes.toString('latin1', 0, END.length);
		hasEndMark ||= seam.includes(END) || bytes.includes(END);
		// Any number of blanks, of any kind, may stand behind the end mark: one of them counts. Only the end becomes
		// text, since that of whole chunks took n8n more memory than all the files on their way.
		const end = bytes.findLastIndex((byte) => !BLANK_BYTES.has(byte)) + 1;
		tail += bytes.toString('latin1', Math.max(0, end - TAIL), end + 1);
		tail = tail.replace(RUN_OF_BLANKS, ' ').slice(-TAIL);
	}
	tail = tail.trimEnd();
	const start = head.slice(0, HEAD).indexOf(START);
	return {
		size,
		sha256: hash.digest('hex'),
		isPdf: START.startsWith(head) || (start >= 0 && !PAGE.test(head.slice(0, start))),
		hasEndMark,
		endsWithMark: tail.endsWith(END),
		endsAsPdf: endsAsPdf(tail, head, size - start),
	};
}

/** The first part of a linearized file ends with the offset 0. */
function endsAsPdf(tail: string, head: string, size: number): boolean {
	const offset = Number(ENDING.exec(tail)?.[1] ?? 0);
	const announced = head.includes('/Linearized') ? Number(LINEARIZED.exec(head)?.[1] ?? 0) : 0;
	return offset > 0 && offset < size && announced <= size;
}
