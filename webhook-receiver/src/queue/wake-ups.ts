import type { Transaction } from '../sql/engine.ts';
import type { Clock } from '../time/clock.ts';
import type { WakeUp } from '../core/pull-contract.ts';
import type { Counts } from '../http/counts.ts';

/** Where they come from. */
export interface WakeUpSource {
	/** Whether an execution of this n8n sleeps, and when its next wake-up falls due, or null. */
	waiting(instance: string, now: number): Promise<{ any: boolean; nextAt: number | null }>;
	/** Up to `most` that are due. Nobody else gets them until they are settled or their ack wait ends. */
	lease(puller: { instance: string; holder: string; most: number }, now: number): Promise<WakeUp[]>;
	/** The executions of these waits are awake, or were given up. */
	ended(tx: Transaction, waits: readonly string[]): Promise<void>;
}

const NOBODY_SLEEPS = { any: false, nextAt: null };

export interface WakeUpsParts {
	/** Undefined where no execution sleeps. */
	source: () => WakeUpSource | undefined;
	clock: Clock;
	counts: Pick<Counts, 'wakeUps'>;
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
		const { clock, counts, onDue } = this.parts;
		const source = this.parts.source();
		const now = clock.now();
		const { any: waiting, nextAt } = (await source?.waiting(instance, now)) ?? NOBODY_SLEEPS;
		if (nextAt !== null) this.plan(instance, nextAt);
		const isDue = nextAt !== null && nextAt <= now && most > 0;
		if (source === undefined || !isDue) return { wakeUps: [], waiting };
		const wakeUps = await source.lease({ instance, holder, most }, now);
		counts.wakeUps('handed-out', wakeUps.length);
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
		const cancel = clock.due(delayMs, () => {
			this.timers.delete(instance);
			onDue(instance);
		});
		this.timers.set(instance, { at, cancel });
	}
}
