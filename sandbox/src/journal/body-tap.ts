import { createHash, type Hash } from 'node:crypto';
import { marginOf, masked, maskedStart } from './masking.ts';
import type { JournalBody } from './entries.ts';

/** How much of a text is kept, in bytes before masking. */
export const MAX_TEXT_BYTES = 64 * 1024;

/** What the headers say once the first bytes pass. */
interface TappedHeaders {
	contentType: string | null;
	contentEncoding: string | null;
	/** As `Content-Disposition` names it. */
	fileName: string | null;
}

/**
 * Taps a body in transit: keeps the start of a text, the hash of anything else, and only the size of
 * a multipart form, whose parts the parser reports (`http/upload.ts`).
 */
export class BodyTap {
	readonly #headers: () => TappedHeaders;
	readonly #secrets: () => readonly string[];
	#kind: 'text' | 'file' | 'form' | null = null;
	#chunks: Buffer[] = [];
	#kept = 0;
	#limit = 0;
	#size = 0;
	#hash: Hash | null = null;

	/** Both are called when the first bytes pass. */
	constructor(headers: () => TappedHeaders, secrets: () => readonly string[]) {
		this.#headers = headers;
		this.#secrets = secrets;
	}

	add(chunk: Buffer): void {
		if (chunk.length === 0) return;
		this.#size += chunk.length;
		this.#kind ??= this.#begin();
		this.#hash?.update(chunk);
		if (this.#kind !== 'text' || this.#kept >= this.#limit) return;
		const part = chunk.subarray(0, this.#limit - this.#kept);
		this.#chunks.push(part);
		this.#kept += part.length;
	}

	/** Null if nothing passed. */
	result(secrets: readonly string[]): JournalBody | null {
		if (this.#size === 0) return null;
		const body: JournalBody = {
			size: this.#size,
			text: null,
			truncated: false,
			fields: [],
			files: [],
		};
		if (this.#kind === 'text') {
			const text = Buffer.concat(this.#chunks).toString();
			const truncated = this.#size > this.#kept;
			return { ...body, text: (truncated ? maskedStart : masked)(text, secrets), truncated };
		}
		if (!this.#hash) return body;
		const { contentType, fileName } = this.#headers();
		const name = fileName === null ? null : masked(fileName, secrets);
		const sha256 = this.#hash.copy().digest('hex');
		return { ...body, files: [{ field: null, name, contentType, size: this.#size, sha256 }] };
	}

	#begin(): 'text' | 'file' | 'form' {
		const kind = kindOf(this.#headers());
		if (kind === 'text') this.#limit = MAX_TEXT_BYTES + marginOf(this.#secrets());
		if (kind === 'file') this.#hash = createHash('sha256');
		return kind;
	}
}

function kindOf({ contentType, contentEncoding }: TappedHeaders): 'text' | 'file' | 'form' {
	if (contentEncoding !== null && contentEncoding !== 'identity') return 'file';
	const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
	if (type === 'multipart/form-data') return 'form';
	return type === '' || TEXT.test(type) ? 'text' : 'file';
}

const TEXT =
	/^(?:text\/.*|application\/(?:json|xml|javascript|jose|x-www-form-urlencoded|x-pem-file|.*\+(?:json|xml)))$/;
