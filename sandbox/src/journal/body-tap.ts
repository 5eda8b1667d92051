import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Half, JournalBody } from './entries.ts';
import { masked, maskedHeaders, maskedStart } from './masking.ts';

/** How much of a text is kept, in bytes before masking. */
export const MAX_TEXT_BYTES = 64 * 1024;

/** Taps a body in transit: keeps its start and its hash, one of which will be of use. */
export class BodyTap {
	readonly #start: Buffer[] = [];
	#kept = 0;
	#size = 0;
	readonly #hash = createHash('sha256');

	add(chunk: Buffer): void {
		this.#size += chunk.length;
		this.#hash.update(chunk);
		const part = chunk.subarray(0, MAX_TEXT_BYTES - this.#kept);
		if (part.length > 0) this.#start.push(part);
		this.#kept += part.length;
	}

	/** Once all has passed: the request or the answer, by its headers, whose names are in lower case. */
	half(headers: OutgoingHttpHeaders, secrets: readonly string[]): Half {
		return { headers: maskedHeaders(headers, secrets), body: this.#body(headers, secrets) };
	}

	/** The start of a text, the hash of anything else; of a form, which `http/upload.ts` reads, its size. */
	#body(headers: OutgoingHttpHeaders, secrets: readonly string[]): JournalBody | null {
		if (this.#size === 0) return null;
		const size = this.#size;
		const body: JournalBody = { size, text: null, truncated: false, fields: [], files: [] };
		const contentType = textOf(headers['content-type']);
		const kind = kindOf(contentType, textOf(headers['content-encoding']));
		if (kind === 'form') return body;
		if (kind === 'text') {
			const text = Buffer.concat(this.#start).toString();
			const truncated = size > this.#kept;
			return { ...body, text: (truncated ? maskedStart : masked)(text, secrets), truncated };
		}
		const fileName = nameIn(textOf(headers['content-disposition']) ?? '');
		const name = fileName === null ? null : masked(fileName, secrets);
		const sha256 = this.#hash.digest('hex');
		return { ...body, files: [{ field: null, name, contentType, size, sha256 }] };
	}
}

const textOf = (header: number | string | string[] | undefined): string | null =>
	header === undefined ? null : String(header);

function kindOf(contentType: string | null, encoding: string | null): 'text' | 'file' | 'form' {
	if (encoding !== null && encoding !== 'identity') return 'file';
	const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
	if (type === 'multipart/form-data') return 'form';
	return type === '' || TEXT.test(type) ? 'text' : 'file';
}

const TEXT =
	/^(?:text\/.*|application\/(?:json|xml|javascript|jose|x-www-form-urlencoded|x-pem-file|.*\+(?:json|xml)))$/;

function nameIn(disposition: string): string | null {
	const quoted = /filename="((?:[^"\\]|\\.)*)"/.exec(disposition)?.[1];
	if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
	return /filename=([^;\s]+)/.exec(disposition)?.[1] ?? null;
}
