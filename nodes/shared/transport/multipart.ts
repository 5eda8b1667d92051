/** What n8n's store gives is a stream of Node's. */
type ByteSource = AsyncIterable<Uint8Array> & { destroy?(error: Error): unknown };

/** One file of a multipart request. A repeated request calls `open` again. */
export interface FilePart {
	field: string;
	fileName: string;
	mimeType: string;
	/** Bytes; must be exact, since it counts in the Content-Length. */
	size: number;
	open(): ByteSource | Promise<ByteSource>;
}

/** What axios uses of a file in a form. Without a name it is a field. */
interface StreamedPart {
	readonly name?: string;
	readonly type: string;
	readonly size: number;
	stream(): AsyncIterable<Uint8Array>;
}

/**
 * A multipart form whose files are streamed, never held in memory, and whose texts arrive as they are.
 *
 * n8n sends requests through axios, which takes any object with `append`, an iterator and the tag
 * `FormData` for a form, and reads its files through `name`, `type`, `size` and `stream()`. That is duck
 * typing, not a promise, so a test watches it. It must be a class instance: n8n copies plain
 * objects, and the copy is empty.
 */
export class StreamedForm {
	readonly [Symbol.toStringTag] = 'FormData';

	private readonly parts: Array<[string, StreamedPart]> = [];
	private readonly unread = new Set<FilePart>();
	private readonly sources = new Set<Promise<ByteSource>>();

	constructor(fields: Record<string, string>, files: FilePart[]) {
		for (const [name, value] of Object.entries(fields)) this.append(name, textPart(value));
		for (const file of files) this.append(file.field, this.streamed(file));
	}

	/** Whether all files were read to their ends, by the latest request with it. */
	get isHandedOver(): boolean {
		return this.unread.size === 0;
	}

	/** Closes the files that a request left in the middle, as one does whose connection broke. */
	close(): void {
		// By an error: a file that merely ended would make a whole form with half of it.
		const error = new Error('The request is over');
		const end = (source: ByteSource) => void source.destroy?.(error);
		// One that could not be opened has failed the request.
		for (const source of this.sources) source.then(end, () => undefined);
		this.sources.clear();
	}

	append(name: string, value: StreamedPart): void {
		this.parts.push([name, value]);
	}

	entries(): IterableIterator<[string, StreamedPart]> {
		return this.parts.values();
	}

	[Symbol.iterator](): IterableIterator<[string, StreamedPart]> {
		return this.entries();
	}

	private streamed(file: FilePart): StreamedPart {
		const { unread, sources } = this;
		unread.add(file);
		return {
			// Without a file name the service would read the part as a field.
			name: headerText(file.fileName).replace(/[\\/]/g, '_') || 'file',
			type: headerText(file.mimeType),
			size: file.size,
			async *stream() {
				unread.add(file);
				const source = Promise.resolve(file.open());
				sources.add(source);
				yield* await source;
				sources.delete(source);
				unread.delete(file);
			},
		};
	}
}

// As bytes: in a string axios makes each line break CRLF, so that a letter and its references would differ
// with an attachment and without.
function textPart(text: string): StreamedPart {
	const bytes = Buffer.from(text);
	return {
		type: 'text/plain; charset=utf-8',
		size: bytes.length,
		async *stream() {
			yield bytes;
		},
	};
}

// Names come from other systems. Servers drop a part with a control character in its header, and take a
// backslash before the closing quote for an escape. Half a character can't be sent.
function headerText(text: string): string {
	return text.replace(/[\p{Cc}\p{Cs}]/gu, '_');
}
