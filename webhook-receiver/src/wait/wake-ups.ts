import type { Clock } from '../time/clock.ts';
import type { BatchSettlement, WakeUp } from '../core/pull-contract.ts';
import type { Waits } from './waits.ts';

export interface WakeUpMetrics {
	countWakeUps(outcome: 'handed-out' | BatchSettlement['outcome'], count: number): void;
}

export interface WakeUpsParts {
	waits: Waits;
	clock: Clock;
	metrics: WakeUpMetrics;
	/** There may be wake-ups for this n8n. */
	onDue: (instance: string) => void;
}

/** For a wake-up that is already due but briefly leased elsewhere. */
const LOOK_AGAIN_MS = 1_000;

/** The wake-ups that pulls deliver. */
export class WakeUps {
	private readonly parts: WakeUpsParts;
	/** When the next wake-ups of an n8n fall due, by the time of this process. */
	private readonly timers = new Map<string, { at: number; cancel: () => void }>();
	private stopped = false;

	constructor(parts: WakeUpsParts) {
		this.parts = parts;
	}

	/**
	 * Those that are due, and whether executions wait; from now on, signals when the next falls due.
	 *
	 * @param most that the puller has room for
	 */
	async look(
		{ instance, holder }: { instance: string; holder: string },
		most: number,
	): Promise<{ wakeUps: WakeUp[]; waiting: boolean }> {
		const { clock, metrics, onDue, waits } = this.parts;
		const now = clock.now();
		const { any: waiting, nextAt } = await waits.waiting(instance, now);
		if (nextAt !== null) this.plan(instance, nextAt);
		const isDue = nextAt !== null && nextAt <= now && most > 0;
		if (!isDue) return { wakeUps: [], waiting };
		const wakeUps = await waits.lease({ instance, holder, most }, now);
		metrics.countWakeUps('handed-out', wakeUps.length);
		if (wakeUps.length === most) onDue(instance);
		return { wakeUps, waiting };
	}

	stop(): void {
		this.stopped = true;
		for (const { cancel } of this.timers.values()) cancel();
		this.timers.clear();
	}

	private plan(instance: string, nextAt: number): void {
		// Held pulls are still being answered.
		if (this.stopped) return;
		const { clock, onDue } = this.parts;
		const planned = this.timers.get(instance);
		const delayMs = Math.max(nextAt - clock.now(), LOOK_AGAIN_MS);
		const at = clock.elapsed() + delayMs;
		if (planned !== undefined && planned.at <= at) return;
		planned?.cancel();
		const cancel = clock.after(delayMs, () => {
			this.timers.delete(instance);
			onDue(instance);
		});
		this.timers.set(instance, { at, cancel });
	}
}
