import type { Clock } from './clock.ts';

/**
 * What comes with time alone, such as that a workflow is away, has come by then; but for what is to be
 * cleaned, which is looked for once a day.
 */
const IDLE_AFTER_MS = 2 * 3_600_000;
export const IDLE_PAUSE_MS = 24 * 3_600_000;

/** Whether the receiver is in use. While it is not, it leaves its database alone, so that one that is paid by the hour sleeps. */
export class Use {
	private readonly clock: Clock;
	private readonly isWaiting: () => boolean;
	private at: number;

	/** @param isWaiting whether somebody waits for an answer */
	constructor(clock: Clock, isWaiting: () => boolean) {
		this.clock = clock;
		this.isWaiting = isWaiting;
		this.at = clock.elapsed();
	}

	isIdle(): boolean {
		return !this.isWaiting() && this.clock.elapsed() - this.at > IDLE_AFTER_MS;
	}

	/** Somebody asks. */
	note(): void {
		this.at = this.clock.elapsed();
	}
}
