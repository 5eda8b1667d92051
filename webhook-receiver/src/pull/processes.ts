import type { Clock } from '../clock.ts';
import type { OpenPull } from './open-pull.ts';

/** A process whose pull was answered so long ago has not come back. */
const RECENT_MS = 30_000;

/** Which processes of each n8n pull here, or did a moment ago. */
export class Processes {
	private readonly clock: Clock;
	/** By holder; `open` counts its pulls. */
	private readonly all = new Map<string, { instance: string; open: number; seenAt: number }>();

	constructor(clock: Clock) {
		this.clock = clock;
	}

	enter({ instance, asked: { holder } }: OpenPull): void {
		const open = (this.all.get(holder)?.open ?? 0) + 1;
		this.all.set(holder, { instance, open, seenAt: this.clock.now() });
	}

	leave({ asked: { holder } }: OpenPull, isExpectedBack: boolean): void {
		const process = this.all.get(holder);
		if (process === undefined) return;
		process.open--;
		if (isExpectedBack) process.seenAt = this.clock.now();
		else if (process.open === 0) this.all.delete(holder);
	}

	/** It let go of a consumer, and does not come back unless it pulls for another one. */
	letGo(holder: string): void {
		if (this.all.get(holder)?.open === 0) this.all.delete(holder);
	}

	count(instance: string): number {
		const earliest = this.clock.now() - RECENT_MS;
		let count = 0;
		for (const [holder, process] of this.all) {
			if (process.open === 0 && process.seenAt < earliest) this.all.delete(holder);
			else if (process.instance === instance) count++;
		}
		return count;
	}
}
