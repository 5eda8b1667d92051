import type { Clock } from '../clock.ts';
import type { DeliveryEvent } from '../contract.ts';
import { instanceOf } from '../core/pull-contract.ts';
import type { BatchSettlement, Pull } from '../core/pull-contract.ts';
import { isWanted } from '../match.ts';

/** What there may be to find: batches of the log, or wake-ups. */
export type Reason = 'batches' | 'wakeUps';

/** A pull that has not been answered yet: what it asks for, and whether to look for it again. */
export class OpenPull {
	readonly key: string;
	readonly instance: string;
	readonly asked: Pull;
	/** When it is answered, whatever there is. */
	readonly endsAt: number;
	/** As many batches are in hand as may be: events make no difference until the store says so. */
	isFull = false;
	/** Not held any longer: answered with what has been found. */
	isOver = false;
	readonly finished: Promise<void>;
	finish: () => void = () => undefined;

	private readonly clock: Clock;
	/** At first everything is; what comes while somebody looks counts for the next look. */
	private reasons = new Set<Reason>(['batches', 'wakeUps']);
	private settlements: readonly BatchSettlement[];
	private wake: (() => void) | null = null;

	constructor(key: string, asked: Pull, clock: Clock) {
		this.key = key;
		this.instance = instanceOf(key);
		this.asked = asked;
		this.clock = clock;
		this.endsAt = clock.now() + asked.holdMs;
		this.settlements = asked.settle;
		this.finished = new Promise((resolve) => (this.finish = resolve));
	}

	/** Whether there is something among new events that calls for a look. */
	wants(events: readonly DeliveryEvent[]): boolean {
		const { wants, atOnce } = this.asked;
		if (wants === null || atOnce === 0 || this.isFull || this.reasons.has('batches')) return false;
		return events.some((event) => isWanted(wants, event));
	}

	tell(reason: Reason): void {
		this.reasons.add(reason);
		this.wake?.();
	}

	isToldOf(reason: Reason): boolean {
		return this.reasons.has(reason);
	}

	/** Resolves when it is answered. */
	end(): Promise<void> {
		this.isOver = true;
		this.wake?.();
		return this.finished;
	}

	takeReasons(): ReadonlySet<Reason> {
		const reasons = this.reasons;
		this.reasons = new Set();
		return reasons;
	}

	/** What n8n settled, once: what a later look of the same pull says would be said twice. */
	takeSettlements(): readonly BatchSettlement[] {
		const settlements = this.settlements;
		this.settlements = [];
		return settlements;
	}

	/** Until it is told something, or the time has come for another look at the log. */
	async wait(until: number): Promise<void> {
		if (this.reasons.size > 0 || this.isOver) return;
		await new Promise<void>((resolve) => {
			const cancel = this.clock.at(until, () => this.tell('batches'));
			this.wake = () => {
				cancel();
				resolve();
			};
		});
		this.wake = null;
	}
}
