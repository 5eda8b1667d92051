/** A clock's state, kept between starts. */
export interface ClockState {
	/** How far it is ahead of real time; below 0 if it was set back. */
	ahead: number;
	/** The moment at which it is frozen, or null if it runs. */
	frozenAt: number | null;
}

/** The sandbox's time: real time plus how far it was moved, or one moment while it is frozen. */
export class Clock {
	#ahead: number;
	#frozenAt: number | null;

	constructor({ ahead, frozenAt }: ClockState = RUNNING) {
		this.#ahead = ahead;
		this.#frozenAt = frozenAt;
	}

	now(): number {
		return this.#frozenAt ?? Date.now() + this.#ahead;
	}

	get isFrozen(): boolean {
		return this.#frozenAt !== null;
	}

	export(): ClockState {
		return { ahead: this.#ahead, frozenAt: this.#frozenAt };
	}

	/** Moves to a later moment; ignores an earlier one, since the past does not happen again. */
	moveTo(moment: number): void {
		if (moment > this.now()) this.set(moment);
	}

	/** Moves to any moment, also an earlier one. */
	set(moment: number): void {
		if (this.#frozenAt !== null) this.#frozenAt = moment;
		else this.#ahead = moment - Date.now();
	}

	/** Only being moved changes the time of a frozen clock, which otherwise stands. */
	freeze(): void {
		this.#frozenAt = this.now();
	}

	/** Resumes from the moment at which it was frozen. */
	unfreeze(): void {
		const reached = this.now();
		this.#frozenAt = null;
		this.set(reached);
	}

	/** Frozen while this runs, so everything in a step has exactly the same time. */
	whileFrozen(run: () => void): void {
		if (this.isFrozen) return run();
		this.freeze();
		try {
			run();
		} finally {
			const reached = this.now();
			this.#frozenAt = null;
			// Real time passed meanwhile, and still counts.
			this.moveTo(reached);
		}
	}

	reset(): void {
		this.#ahead = RUNNING.ahead;
		this.#frozenAt = RUNNING.frozenAt;
	}
}

const RUNNING: ClockState = { ahead: 0, frozenAt: null };

/** ISO 8601 in UTC, as the interface writes times. */
export const iso = (moment: number): string => new Date(moment).toISOString();
