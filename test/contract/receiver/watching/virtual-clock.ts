import type { Clock } from '../../../../webhook-receiver/src/time/clock.ts';

interface Entry {
	time: number;
	task: () => void;
	cancelled: boolean;
}

/** A clock that moves only when told to, from one due time to the next. */
export class VirtualClock implements Clock {
	private time: number;
	private readonly entries: Entry[] = [];

	constructor(time: number) {
		this.time = time;
	}

	now = () => this.time;
	elapsed = () => this.time;

	after(milliseconds: number, task: () => void) {
		const time = this.time + Math.max(milliseconds, 0);
		const entry = { time, task, cancelled: false };
		const index = this.entries.findIndex((other) => other.time > time);
		this.entries.splice(index === -1 ? this.entries.length : index, 0, entry);
		return () => {
			entry.cancelled = true;
		};
	}

	/** The next due time. */
	next(): number {
		while (this.entries[0]?.cancelled) this.entries.shift();
		return this.entries[0]?.time ?? Infinity;
	}

	/** Moves forward, never back, and runs everything due by then. */
	moveTo(time: number): void {
		this.time = Math.max(this.time, time);
		while (this.next() <= this.time) this.entries.shift()?.task();
	}
}
