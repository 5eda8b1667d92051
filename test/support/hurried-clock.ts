import { systemClock, type Clock } from '../../webhook-receiver/src/time/clock.ts';

/** The machine's clock, whose timers and elapsed time can be hurried on, for what takes minutes. */
export class HurriedClock implements Clock {
	private ahead = 0;
	private readonly pending = new Map<() => void, number>();

	now = () => systemClock.now();
	wall = () => systemClock.wall();
	elapsed = () => systemClock.elapsed() + this.ahead;

	after(milliseconds: number, task: () => void) {
		const run = () => {
			cancel();
			task();
		};
		const stop = systemClock.after(milliseconds, run);
		const cancel = () => {
			stop();
			this.pending.delete(run);
		};
		this.pending.set(run, this.elapsed() + milliseconds);
		return cancel;
	}

	due(milliseconds: number, task: () => void) {
		return this.after(milliseconds, task);
	}

	/** That much time passes at once. */
	advance(milliseconds: number): void {
		this.ahead += milliseconds;
		for (const [run, due] of [...this.pending]) if (due <= this.elapsed()) run();
	}
}
