import type { Clock } from '../time/clock.ts';

/** What a sandbox says of its time. */
export interface ServiceTime {
	/** Milliseconds since the epoch. */
	now: number;
	/** Whether it stands there. */
	frozen: boolean;
}

interface Timer {
	dueAt: number;
	run: () => void;
}

/** The sandbox counts in whole milliseconds. */
const ROUNDING_MS = 1;

/** While time stands, nothing comes any nearer: who waits for it looks this seldom. */
const STANDING_MS = 1_000;

/**
 * The clock of a rehearsal: the sandbox's time, as last heard, runs on by this machine's. Where it was
 * moved past what is due, that happens at once; moved back, as with a restart of the sandbox, it is as if
 * an administrator had set the clock back.
 */
export class ServiceClock implements Clock {
	private readonly real: Clock;
	private readonly timers = new Set<Timer>();
	private heard: ServiceTime & { at: number };

	constructor(real: Clock, first: ServiceTime) {
		this.real = real;
		this.heard = { ...first, at: real.elapsed() };
	}

	now = (): number => Math.round(this.nowAt(this.elapsed()));
	wall = (): number => this.real.wall();
	elapsed = (): number => this.real.elapsed();

	after(milliseconds: number, task: () => void): () => void {
		return this.real.after(milliseconds, task);
	}

	due(milliseconds: number, task: () => void): () => void {
		const run = () => {
			cancel();
			task();
		};
		const timer = { dueAt: this.now() + milliseconds, run };
		const least = this.heard.frozen ? STANDING_MS : 0;
		const stop = this.real.after(Math.max(milliseconds, least), run);
		const cancel = () => {
			stop();
			this.timers.delete(timer);
		};
		this.timers.add(timer);
		return cancel;
	}

	/** @param askedAt by the running time: the answer is of a moment since */
	hear(time: ServiceTime, askedAt: number): void {
		const at = this.elapsed();
		const isAsKnown =
			time.frozen === this.heard.frozen &&
			time.now >= this.nowAt(askedAt) - ROUNDING_MS &&
			time.now <= this.nowAt(at) + ROUNDING_MS;
		// How long an answer takes must not let the time go to and fro.
		if (isAsKnown) return;
		this.heard = { ...time, at };
		const now = this.now();
		for (const { dueAt, run } of [...this.timers]) if (dueAt <= now) run();
	}

	private nowAt(elapsed: number): number {
		const { now, frozen, at } = this.heard;
		return frozen ? now : now + elapsed - at;
	}
}
