/** An entry of a journal; numbers rise. */
export interface Numbered {
	id: number;
}

interface Bounds {
	entries: number;
	/** Of all entries together, in the unit of `weigh`. */
	weight: number;
}

/** The newest entries of a journal, within bounds of number and weight. The newest always stays. */
export class Journal<T extends Numbered> {
	readonly #bounds: Bounds;
	readonly #weigh: (entry: T) => number;
	#entries: T[] = [];
	readonly #next: () => number;
	#weight = 0;
	#last = 0;

	/** @param next the next number, which journals that are shown as one share */
	constructor(bounds: Bounds, weigh: (entry: T) => number, next = numbers()) {
		this.#bounds = bounds;
		this.#weigh = weigh;
		this.#next = next;
	}

	/** Numbers an entry and keeps it; drops the oldest if needed. */
	add(content: Omit<T, 'id'>): T {
		this.#last = this.#next();
		const entry = { id: this.#last, ...content } as T;
		this.#entries.push(entry);
		this.#weight += this.#weigh(entry);
		while (
			this.#entries.length > 1 &&
			(this.#entries.length > this.#bounds.entries || this.#weight > this.#bounds.weight)
		)
			this.#weight -= this.#weigh(this.#entries.shift() as T);
		return entry;
	}

	get(id: number): T | undefined {
		return this.#entries.findLast((entry) => entry.id === id);
	}

	/** Number of the oldest entry kept, or of the next one if there is none. */
	get first(): number {
		return this.#entries[0]?.id ?? this.#last + 1;
	}

	/** Number of the newest entry ever kept. */
	get last(): number {
		return this.#last;
	}

	/** Oldest first. */
	all(): readonly T[] {
		return this.#entries;
	}

	/** Drops all entries; numbering continues, so no number repeats. */
	clear(): void {
		this.#entries = [];
		this.#weight = 0;
	}
}

/** Counts from 1. */
export function numbers(): () => number {
	let last = 0;
	return () => ++last;
}
