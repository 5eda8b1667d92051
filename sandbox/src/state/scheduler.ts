import TinyQueue from 'tinyqueue';
import type { Clock } from './clock.ts';

interface Step {
	due: number;
	/** Counts the steps: those due at the same moment keep their order. */
	number: number;
	run: () => void;
}

/** A heap, so that one more step costs little among 100,000. */
const noSteps = () =>
	new TinyQueue<Step>([], (one, other) => one.due - other.due || one.number - other.number);

// setTimeout fires at once above this.
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * One ordered queue of everything still to happen. A real timer drives it as time passes; `advance`
 * drives it at once, each step at its own virtual moment, so that 90 days take no time and still
 * leave the right timestamps behind.
 */
export class Scheduler {
	readonly #clock: Clock;
	readonly #onError: (error: unknown) => void;
	#steps = noSteps();
	#added = 0;
	#timer: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(clock: Clock, onError: (error: unknown) => void) {
		this.#clock = clock;
		this.#onError = onError;
	}

	/** Steps due at the same moment run in the order they were added. */
	at(due: number, run: () => void): void {
		this.#steps.push({ due, number: this.#added++, run });
		this.#arm();
	}

	after(delay: number, run: () => void): void {
		this.at(this.#clock.now() + delay, run);
	}

	advance(ms: number): void {
		const target = this.#clock.now() + ms;
		this.#runUntil(target);
		this.#clock.moveTo(target);
		this.#arm();
	}

	/**
	 * Moves to a moment, and everything due until then happens. An earlier moment undoes nothing: what
	 * is planned keeps its time.
	 *
	 * @param frozen whether time stands there, or runs on
	 */
	setTime(moment: number, frozen: boolean): void {
		this.#runUntil(moment);
		this.#clock.set(moment);
		if (frozen) this.#clock.freeze();
		else this.#clock.unfreeze();
		this.#arm();
	}

	/** Drops everything planned. */
	clear(): void {
		this.#steps = noSteps();
		clearTimeout(this.#timer);
	}

	/** Drops everything planned, and what a request under way still plans: no timer keeps the process. */
	close(): void {
		this.clear();
		this.#isClosed = true;
	}

	#runUntil(target: number): void {
		this.#clock.whileFrozen(() => {
			for (let step = this.#steps.peek(); step && step.due <= target; step = this.#steps.peek()) {
				this.#steps.pop();
				this.#clock.moveTo(step.due);
				try {
					step.run();
				} catch (error) {
					this.#onError(error);
				}
			}
		});
	}

	#arm(): void {
		clearTimeout(this.#timer);
		const next = this.#steps.peek();
		if (!next || this.#isClosed) return;
		const left = Math.max(0, next.due - this.#clock.now());
		// Moving a frozen clock leads here again.
		if (left > 0 && this.#clock.isFrozen) return;
		const wait = Math.min(left, LONGEST_TIMER);
		this.#timer = setTimeout(() => {
			this.#runUntil(this.#clock.now());
			this.#arm();
		}, wait);
	}
}
