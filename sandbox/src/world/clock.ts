/** The sandbox's time: real time plus how far it was advanced. */
export interface Clock {
	now(): number;
}

export class VirtualClock implements Clock {
	#offset = 0;
	#held: number | null = null;
	readonly #real: () => number;

	constructor(real: () => number = Date.now, ahead = 0) {
		this.#real = real;
		this.#offset = ahead;
	}

	/** How far it was advanced. */
	get ahead(): number {
		return this.#offset;
	}

	now(): number {
		return this.#held ?? this.#real() + this.#offset;
	}

	/** Moves to a later moment; ignores an earlier one, since time never goes back. */
	moveTo(moment: number): void {
		if (this.#held !== null) this.#held = Math.max(this.#held, moment);
		else this.#offset += Math.max(0, moment - this.now());
	}

	/** Only `moveTo` moves time while this runs, so what happens at a moment has that exact time. */
	freeze(run: () => void): void {
		this.#held = this.now();
		try {
			run();
		} finally {
			const reached = this.#held;
			this.#held = null;
			this.moveTo(reached);
		}
	}

	reset(): void {
		this.#offset = 0;
	}
}

/** ISO 8601 in UTC, as the interface writes times. */
export const iso = (moment: number): string => new Date(moment).toISOString();
