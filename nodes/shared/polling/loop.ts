import { sleep } from 'n8n-workflow';

/** A clock that was set back must not stop everything. */
const LONGEST_STEP_PAUSE_MS = 60_000;

/** After a step that threw. */
const AFTER_FAULT_MS = 1_000;

/**
 * Repeats a step for as long as it is needed, each time when it asks for it, or once somebody pokes. One that
 * throws is repeated, too: what waits for it would wait for good.
 */
export class Loop {
	private readonly step: () => Promise<number | null>;
	private readonly onFault: (error: Error) => void;
	private isRunning = false;
	private pause = new AbortController();

	/** @param step returns how many milliseconds later it is to come again, or null at the end */
	constructor(step: () => Promise<number | null>, onFault: (error: Error) => void) {
		this.step = step;
		this.onFault = onFault;
	}

	poke(): void {
		this.pause.abort();
		if (!this.isRunning) void this.run();
	}

	private async run(): Promise<void> {
		this.isRunning = true;
		for (let isNeeded = true; isNeeded; ) {
			// Who pokes during the step wants another.
			this.pause = new AbortController();
			const { signal } = this.pause;
			const wait = await this.step().catch((error: Error) => {
				this.onFault(error);
				return AFTER_FAULT_MS;
			});
			isNeeded = wait !== null || signal.aborted;
			const pause = Math.min(Math.max(wait ?? 0, 0), LONGEST_STEP_PAUSE_MS);
			if (isNeeded) await sleep(pause, signal).catch(() => undefined);
		}
		this.isRunning = false;
	}
}
