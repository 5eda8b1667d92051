/** A request with more ids is bulk load; nobody searches for it by a single letter. */
const MAX_FOUND = 10_000;
const ID = /(?<!\d)\d{12}(?!\d)/g;

/** Finds message ids in a text that arrives in chunks. */
export class IdScan {
	readonly #ids = new Set<string>();
	/** Digits that may go on in the next piece; one more than an id has, so that none is cut out. */
	#tail = '';

	add(piece: string): void {
		const text = this.#tail + piece;
		this.#tail = /\d{1,13}$/.exec(text)?.[0] ?? '';
		this.#collect(text.slice(0, text.length - this.#tail.length));
	}

	/** Those that are messages. Ends the text. */
	found(isMessage: (id: string) => boolean): string[] {
		this.#collect(this.#tail);
		this.#tail = '';
		return [...this.#ids].filter(isMessage);
	}

	#collect(text: string): void {
		for (const [id] of text.matchAll(ID)) if (this.#ids.size < MAX_FOUND) this.#ids.add(id);
	}
}
