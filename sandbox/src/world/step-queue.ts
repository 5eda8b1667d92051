/** Something that happens at a moment. */
export interface Step {
	due: number;
	run: () => void;
}

interface Entry extends Step {
	/** Steps due at the same moment keep the order in which they were added. */
	number: number;
}

/** Steps by the moment they are due. A binary heap: adding one costs little among 100,000. */
export class StepQueue {
	readonly #heap: Entry[] = [];
	#added = 0;

	/** The next step, which stays in the queue. */
	get first(): Step | undefined {
		return this.#heap[0];
	}

	add(step: Step): void {
		const entry = { ...step, number: this.#added++ };
		let place = this.#heap.length;
		while (place > 0) {
			const parent = (place - 1) >>> 1;
			const above = this.#heap[parent]!;
			if (isBefore(above, entry)) break;
			this.#heap[place] = above;
			place = parent;
		}
		this.#heap[place] = entry;
	}

	/** Takes the next step out. */
	takeFirst(): void {
		const last = this.#heap.pop();
		if (!last || this.#heap.length === 0) return;
		let place = 0;
		for (;;) {
			let child = 2 * place + 1;
			const [left, right] = [this.#heap[child], this.#heap[child + 1]];
			if (!left) break;
			if (right && isBefore(right, left)) child++;
			const below = this.#heap[child]!;
			if (isBefore(last, below)) break;
			this.#heap[place] = below;
			place = child;
		}
		this.#heap[place] = last;
	}
}

const isBefore = (one: Entry, other: Entry): boolean =>
	one.due < other.due || (one.due === other.due && one.number < other.number);
