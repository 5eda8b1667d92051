import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { DeliveryEvent } from '../contract.ts';
import { instanceOf } from '../core/pull-contract.ts';
import type { Batch, Pull, PullAnswer, WakeUp } from '../core/pull-contract.ts';
import type { Metrics } from '../metrics.ts';
import type { Store } from '../store/store.ts';
import type { StoreListener, Taken } from './consumer-store.ts';
import { Gate } from './gate.ts';
import { OpenPull } from './open-pull.ts';
import { Processes } from './processes.ts';
import { WakeUps } from './wake-ups.ts';

export interface PullsParts {
	store: Store;
	clock: Clock;
	logger: Logger;
	metrics: Pick<Metrics, 'countBatches' | 'countWakeUps'>;
	/** Whether letters are watched, for the answer. */
	watching: boolean;
}

/** An answer, or since when another holder has the consumer. */
export type Pulled = { kind: 'answer'; answer: PullAnswer } | HeldByAnother;
type HeldByAnother = Extract<Taken, { kind: 'held' }>;

/** Looks at the log at once: when 1,000 consumers want one event, ingest goes on between them. */
const LOOKS_AT_ONCE = 32;

const WARN_EVERY_MS = 60_000;

const NOTHING: Taken = { kind: 'taken', batches: [], wakeAt: null, more: false, isFull: false };

/**
 * Holds pulls until something is due (design § 7). Each looks at the store for itself: when it comes,
 * when it is told that there may be something, and before it is answered with nothing.
 */
export class Pulls implements StoreListener {
	private readonly parts: PullsParts;
	private readonly open = new Set<OpenPull>();
	private readonly processes: Processes;
	private readonly wakeUps: WakeUps;
	private readonly gate = new Gate(LOOKS_AT_ONCE);
	private readonly warnedAt = new Map<string, number>();
	/** Holders that broke a connection and have not pulled since: the answer of a last pull may go nowhere. */
	private readonly lost = new Set<string>();
	private stopped = false;

	constructor(parts: PullsParts) {
		this.parts = parts;
		this.processes = new Processes(parts.clock);
		const { store, clock, metrics } = parts;
		const onDue = (instance: string) => this.onWakeUps(instance);
		this.wakeUps = new WakeUps({ waits: store.waits, clock, metrics, onDue });
	}

	/** @param gone when the connection closes before the answer: there is nobody to answer any more */
	async pull(key: string, asked: Pull, gone: AbortSignal): Promise<Pulled> {
		await this.wakeUps.settle(asked.wakeUps);
		if (asked.leaving) return this.leave(key, asked);
		const pull = new OpenPull(key, asked, this.parts.clock);
		this.open.add(pull);
		this.lost.delete(seatOf(pull));
		this.processes.enter(pull);
		gone.addEventListener('abort', () => void pull.end(), { once: true });
		if (gone.aborted || this.stopped) void pull.end();
		let isExpectedBack = false;
		try {
			const pulled = await this.holdUntilDue(pull);
			isExpectedBack = pulled.kind === 'answer' && !gone.aborted;
			return pulled;
		} finally {
			this.open.delete(pull);
			this.processes.leave(pull, isExpectedBack);
			// Who was told of wake-ups and does not look any more tells another one.
			if (pull.isToldOf('wakeUps')) this.onWakeUps(pull.instance);
			if (gone.aborted) this.lost.add(seatOf(pull));
			await this.releaseIfLost(pull);
			pull.finish();
		}
	}

	/** How many are held now. */
	get count(): number {
		return this.open.size;
	}

	/**
	 * How many processes of an n8n pull. Those that pull here are counted; of others, at receivers on the
	 * same database, only a consumer that they hold can be seen: they count as one.
	 */
	async processesOf(instance: string): Promise<number> {
		const here = this.processes.count(instance);
		if (here > 0) return here;
		const consumers = await this.parts.store.consumers.list(this.parts.clock.now());
		return consumers.some(({ key, held }) => held && key.startsWith(`${instance}~`)) ? 1 : 0;
	}

	/** Removes a consumer and its batches; answers whether there was one. An n8n that pulls begins anew. */
	async remove(key: string): Promise<boolean> {
		await endAll(this.openOf(key));
		return this.parts.store.consumers.remove(key);
	}

	/** Answers all that are held; who comes later is not held. */
	stop(): void {
		this.stopped = true;
		this.wakeUps.stop();
		void endAll([...this.open]);
	}

	onEvents(events: readonly DeliveryEvent[]): void {
		for (const pull of this.open) if (pull.wants(events)) pull.tell('batches');
	}

	onConsumer(key: string): void {
		for (const pull of this.openOf(key)) pull.tell('batches');
	}

	/** One pull is enough. */
	onWakeUps(instance: string): void {
		for (const pull of this.open) {
			if (pull.instance !== instance || pull.isOver || pull.isToldOf('wakeUps')) continue;
			return pull.tell('wakeUps');
		}
	}

	private async holdUntilDue(pull: OpenPull): Promise<Pulled> {
		const { clock } = this.parts;
		if (pull.asked.wants === null) await this.settle(pull.key, pull.asked);
		for (;;) {
			const reasons = pull.takeReasons();
			const taken = reasons.has('batches') ? await this.take(pull) : NOTHING;
			if (taken.kind === 'held') {
				this.warnOfRival(pull, taken);
				return taken;
			}
			const { batches, wakeAt, more } = taken;
			// Only now: another holder gets no wake-ups either.
			const wakeUps = reasons.has('wakeUps') ? await this.wakeUps.claim(pull.instance) : [];
			const waiting = await this.wakeUps.waiting(pull.instance);
			const isDue = batches.length > 0 || wakeUps.length > 0;
			if (isDue || pull.isOver || clock.now() >= pull.endsAt) {
				return this.answer(batches, wakeUps, waiting);
			}
			if (more) pull.tell('batches');
			await pull.wait(Math.min(pull.endsAt, wakeAt ?? Infinity));
		}
	}

	private async take(pull: OpenPull): Promise<Taken> {
		const { clock, metrics, store } = this.parts;
		const { key, asked } = pull;
		const { wants, name, holder, atOnce, startAnew } = asked;
		const since = asked.since === null ? null : Date.parse(asked.since);
		if (wants === null) return NOTHING;
		const settle = pull.takeSettlements();
		const taken = await this.gate.run(() => {
			const now = clock.now();
			const holdMs = Math.max(pull.endsAt - now, 0);
			return store.consumers.take(
				{ key, name, wants, holder, holdMs, atOnce, settle, startAnew, since },
				now,
			);
		});
		if (taken.kind === 'held') return taken;
		pull.isFull = taken.isFull;
		metrics.countBatches('handed-out', taken.batches.length);
		for (const { outcome } of settle) metrics.countBatches(outcome, 1);
		return taken;
	}

	/** n8n lets go: what it holds ends first, or a look that is under way would take it again. */
	private async leave(key: string, asked: Pull): Promise<Pulled> {
		const { clock, store } = this.parts;
		await endAll(this.openOf(key, asked.holder));
		await this.settle(key, asked);
		await store.consumers.release(key, asked.holder, clock.now());
		this.processes.letGo(asked.holder);
		return this.answer([], [], await this.wakeUps.waiting(instanceOf(key)));
	}

	/** Frees the consumer of a holder that is gone, once none of its pulls is open. */
	private async releaseIfLost(pull: OpenPull): Promise<void> {
		const { clock, logger, store } = this.parts;
		const { key, asked } = pull;
		if (this.openOf(key, asked.holder).length > 0 || !this.lost.delete(seatOf(pull))) return;
		if (asked.wants === null) return;
		try {
			await store.consumers.release(key, asked.holder, clock.now());
		} catch (error) {
			logger.error({ consumer: key, err: error }, 'freeing a consumer failed');
		}
	}

	private async settle(key: string, { holder, settle }: Pull): Promise<void> {
		const { clock, metrics, store } = this.parts;
		if (settle.length === 0) return;
		await store.consumers.settle(key, holder, settle, clock.now());
		for (const { outcome } of settle) metrics.countBatches(outcome, 1);
	}

	private openOf(key: string, holder?: string): OpenPull[] {
		return [...this.open].filter(
			(pull) => pull.key === key && (holder === undefined || pull.asked.holder === holder),
		);
	}

	private warnOfRival({ key, asked }: OpenPull, { since }: HeldByAnother): void {
		const now = this.parts.clock.now();
		if (now - (this.warnedAt.get(key) ?? -Infinity) < WARN_EVERY_MS) return;
		this.warnedAt.set(key, now);
		this.parts.logger.warn(
			{ consumer: key, name: asked.name, heldSince: new Date(since).toISOString() },
			'a second n8n with the same identity was refused: stop one of the two',
		);
	}

	private answer(batches: Batch[], wakeUps: WakeUp[], waiting: number): Pulled {
		const { clock, watching } = this.parts;
		const now = new Date(clock.now()).toISOString();
		return { kind: 'answer', answer: { batches, wakeUps, waiting, watching, now } };
	}
}

/** Resolves when all are answered. */
async function endAll(pulls: readonly OpenPull[]): Promise<void> {
	await Promise.all(pulls.map((pull) => pull.end()));
}

function seatOf({ key, asked }: OpenPull): string {
	return `${key} ${asked.holder}`;
}
