import type { Clock } from './clock.ts';

/** Pause after failed work: usually the store is failing. */
const PAUSE_MS = 1_000;

/** Does the work that is due; resolves with the milliseconds until the next is due, or null for when woken. */
export type DueWork = () => Promise<number | null>;

export interface DueLoopParts {
	work: DueWork;
	onError: (error: unknown) => void;
	clock: Clock;
}

/** Does due work one step at a time, then sleeps until more is due or `wake` is called. */
export class DueLoop {
	private readonly parts: DueLoopParts;
	private running: Promise<void> | null = null;
	private again = false;
	private stopped = false;
	private cancelTimer: (() => void) | null = null;

	constructor(parts: DueLoopParts) {
		this.parts = parts;
	}

	wake(): void {
		if (this.stopped) return;
		this.again = true;
		this.running ??= this.run();
	}

	/** Starts nothing new; resolves when work in progress has ended. */
	async stop(): Promise<void> {
		this.stopped = true;
		this.cancelTimer?.();
		await this.running;
	}

	private async run(): Promise<void> {
		this.cancelTimer?.();
		let next: number | null = null;
		while (this.again && !this.stopped) {
			this.again = false;
			try {
				next = await this.parts.work();
			} catch (error) {
				this.parts.onError(error);
				next = PAUSE_MS;
			}
		}
		// In the same turn as the last check of `again`, or a call in between would be lost.
		this.running = null;
		if (next !== null && !this.stopped) {
			this.cancelTimer = this.parts.clock.due(next, () => this.wake());
		}
	}
}
