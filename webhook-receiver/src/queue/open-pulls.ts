import type { Clock } from '../time/clock.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { MOST_WAKE_UPS, instanceOf } from '../core/pull-contract.ts';
import type { BatchSettlement, Pull } from '../core/pull-contract.ts';
import { isWanted } from '../core/match.ts';
import { wakeUpQueue } from './batch-rows.ts';
import type { StoreListener } from '../sql/engine.ts';

/** A pull not answered yet: what it asks for, and whether to look again. */
export class OpenPull {
	readonly key: string;
	readonly instance: string;
	readonly holder: string;
	readonly request: Pull;
	/** How many wake-ups it may get beside those its process has in hand. */
	readonly wakeUpRoom: number;
	/** When it is answered, even with nothing, by the time of this process. */
	readonly endsAt: number;
	/** As many batches are in hand as allowed: events change nothing until the store says so. */
	isFull = false;
	/** To be answered now, with whatever was found. */
	isOver = false;
	readonly finished: Promise<void>;
	finish: () => void = () => undefined;

	private readonly clock: Clock;
	/**
	 * Whether to look, whatever the reason: a look finds all that may be due, and when it has to look
	 * again. Told during a look, it looks once more.
	 */
	private isTold = true;
	private settlements: readonly BatchSettlement[];
	private wake: (() => void) | null = null;

	constructor(key: string, request: Pull, clock: Clock) {
		this.key = key;
		this.instance = instanceOf(key);
		this.holder = request.holder;
		this.request = request;
		this.clock = clock;
		this.endsAt = clock.elapsed() + request.openMs;
		this.settlements = request.settle;
		const inHand = request.wakeUps.filter(({ outcome }) => outcome === 'inProgress').length;
		this.wakeUpRoom = Math.max(MOST_WAKE_UPS - inHand, 0);
		this.finished = new Promise((resolve) => (this.finish = resolve));
	}

	/** Whether any of the new events calls for a look. */
	wants(events: readonly DeliveryEvent[]): boolean {
		const { wants, atOnce } = this.request;
		if (wants === null || atOnce === 0 || this.isFull || this.isTold) return false;
		return events.some((event) => isWanted(wants, event));
	}

	tell(): void {
		this.isTold = true;
		this.wake?.();
	}

	/** Whether it is going to look for wake-ups. */
	get seeksWakeUps(): boolean {
		return this.isTold && this.wakeUpRoom > 0;
	}

	/** Resolves when it is answered. */
	end(): Promise<void> {
		this.isOver = true;
		this.wake?.();
		return this.finished;
	}

	/** From now on it looks again only when told. */
	beginLook(): void {
		this.isTold = false;
	}

	/** What n8n settled, once: a later look of the same pull must not report it again. */
	drainSettlements(): readonly BatchSettlement[] {
		const settlements = this.settlements;
		this.settlements = [];
		return settlements;
	}

	/** Until it is notified, or it is time for another look at the log. */
	async wait(milliseconds: number): Promise<void> {
		if (this.isTold || this.isOver) return;
		await new Promise<void>((resolve) => {
			const cancel = this.clock.due(milliseconds, () => this.tell());
			this.wake = () => {
				cancel();
				resolve();
			};
		});
		this.wake = null;
	}
}

/** A process that has not pulled again this long after its last answer has stopped. */
const EXPECTED_BACK_MS = 30_000;

/** The open pulls, by consumer, and the n8n processes behind them; tells them of what is new in the store. */
export class OpenPulls implements Omit<StoreListener, 'onDue' | 'onWants'> {
	private readonly byKey = new Map<string, Set<OpenPull>>();
	/**
	 * When each process was last answered, by holder id and by the time of this process; without
	 * those not expected back.
	 */
	private readonly answered = new Map<string, { instance: string; at: number }>();

	get count(): number {
		return [...this.byKey.values()].reduce((sum, { size }) => sum + size, 0);
	}

	isWaiting(): boolean {
		return this.byKey.size > 0;
	}

	add(pull: OpenPull): void {
		const pulls = this.byKey.get(pull.key) ?? new Set();
		this.byKey.set(pull.key, pulls.add(pull));
	}

	/** @param answeredAt null when the puller is gone and will not pull again */
	remove(pull: OpenPull, answeredAt: number | null): void {
		const { key, instance, request } = pull;
		const pulls = this.byKey.get(key);
		pulls?.delete(pull);
		if (pulls?.size === 0) this.byKey.delete(key);
		if (answeredAt === null) this.forget(request.holder);
		else this.answered.set(request.holder, { instance, at: answeredAt });
	}

	/** The holder released a consumer and is not expected to pull again, unless for another one. */
	forget(holder: string): void {
		this.answered.delete(holder);
	}

	/** Pulls of a consumer; with `holder`, only those of that process. */
	of(key: string, holder?: string): OpenPull[] {
		const pulls = [...(this.byKey.get(key) ?? [])];
		return holder === undefined ? pulls : pulls.filter(({ request }) => request.holder === holder);
	}

	onEvents(events: readonly DeliveryEvent[]): void {
		for (const pull of this.all()) if (pull.wants(events)) pull.tell();
	}

	onQueue(key: string): void {
		const instance = instanceOf(key);
		if (key === wakeUpQueue(instance)) return this.offerWakeUps(instance);
		for (const pull of this.of(key)) pull.tell();
	}

	onMissed(): void {
		for (const pull of this.all()) pull.tell();
	}

	/** Notifies one pull that has room and is not about to look anyway; that is enough. */
	offerWakeUps(instance: string): void {
		for (const pull of this.all()) {
			if (pull.instance !== instance || pull.isOver || pull.seeksWakeUps) continue;
			if (pull.wakeUpRoom > 0) return pull.tell();
		}
	}

	*all(): Iterable<OpenPull> {
		for (const pulls of this.byKey.values()) yield* pulls;
	}

	/** How many processes of an n8n are pulling, or were a moment ago. */
	processesOf(instance: string, elapsed: number): number {
		const holders = new Set<string>();
		for (const pull of this.all()) if (pull.instance === instance) holders.add(pull.request.holder);
		for (const [holder, process] of this.answered) {
			if (process.at < elapsed - EXPECTED_BACK_MS) this.answered.delete(holder);
			else if (process.instance === instance) holders.add(holder);
		}
		return holders.size;
	}
}
