interface Bounds {
	entries: number;
	/** Of all entries together, written as JSON. */
	characters: number;
}

/** The newest entries, within bounds of number and size. The newest always stays. */
export class Journal<T extends { id: number }> {
	readonly #bounds: Bounds;
	readonly #next: () => number;
	#entries: T[] = [];
	#characters = 0;

	/** @param next the next number, which journals that are shown as one share; numbers rise */
	constructor(bounds: Bounds, next: () => number) {
		this.#bounds = bounds;
		this.#next = next;
	}

	/** Numbers an entry and keeps it; drops the oldest if needed. */
	add(content: Omit<T, 'id'>): T {
		const entry = { id: this.#next(), ...content } as T;
		this.#entries.push(entry);
		this.#characters += sizeOf(entry);
		const { entries, characters } = this.#bounds;
		while (
			this.#entries.length > 1 &&
			(this.#entries.length > entries || this.#characters > characters)
		)
			this.#characters -= sizeOf(this.#entries.shift());
		return entry;
	}

	get(id: number): T | undefined {
		return this.#entries.findLast((entry) => entry.id === id);
	}

	/** Oldest first. */
	all(): readonly T[] {
		return this.#entries;
	}

	/** Drops all entries; numbering continues, so no number repeats. */
	clear(): void {
		this.#entries = [];
		this.#characters = 0;
	}
}

const sizeOf = (entry: unknown): number => JSON.stringify(entry).length;
