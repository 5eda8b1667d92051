import { EventEmitter, once } from 'node:events';
import { Journal, type Numbered } from './journal.ts';
import type { SandboxEvent } from './sandbox-event.ts';

const KEPT_EVENTS = 1000;
/** Changes within this time are announced together. */
const BURST_MS = 50;

interface NumberedEvent extends Numbered {
	event: SandboxEvent;
}

/** The sandbox's events, for the API's streams and waits and for the pages. */
export class EventLog {
	/** Distinguishes this run's events from an earlier run's, which had the same numbers. */
	readonly #start: string;
	readonly #kept = new Journal<NumberedEvent>({ entries: KEPT_EVENTS, weight: Infinity }, () => 1);
	readonly #news = new EventEmitter().setMaxListeners(0);
	#burst: NodeJS.Timeout | undefined;

	constructor(start: string) {
		this.#start = start;
	}

	publish(event: SandboxEvent): void {
		this.#kept.add({ event });
		this.#news.emit('event');
	}

	/** Announces a change, once per burst. */
	publishChange(): void {
		if (this.#burst) return;
		this.#burst = setTimeout(() => {
			this.#burst = undefined;
			this.publish({ kind: 'change', data: {} });
		}, BURST_MS).unref();
	}

	/** Drops all events, whose content is gone. */
	clear(): void {
		this.#kept.clear();
	}

	/**
	 * Every event from now on, or after the one with this id. Begins with `missed` if some of them are
	 * no longer kept, and has it where a slow listener falls behind.
	 */
	async *follow(
		lastId: string | null,
		signal: AbortSignal,
	): AsyncGenerator<{ id: string; event: string; data: SandboxEvent['data'] }> {
		let last = lastId === null ? this.#kept.last : this.#numberOf(lastId);
		while (!signal.aborted) {
			if (last + 1 < this.#kept.first) {
				last = this.#kept.first - 1;
				yield { id: this.#idOf(last), event: 'missed', data: {} };
			}
			const next = this.#kept.get(last + 1);
			if (next) {
				last = next.id;
				yield { id: this.#idOf(last), event: next.event.kind, data: next.event.data };
			} else {
				await once(this.#news, 'event', { signal }).catch(() => undefined);
			}
		}
	}

	/** Resolves once `isEnough`, or when the time is over or the signal aborts. */
	async until(isEnough: () => boolean, seconds: number, signal: AbortSignal): Promise<void> {
		const end = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
		while (!end.aborted && !isEnough())
			await once(this.#news, 'event', { signal: end }).catch(() => undefined);
	}

	#idOf(number: number): string {
		return `${this.#start}-${number}`;
	}

	/** Below every number if the id is none of this start, so that what was missed is told. */
	#numberOf(id: string): number {
		const [, start, number] = /^(.*)-(\d+)$/.exec(id) ?? [];
		return start === this.#start && Number(number) <= this.#kept.last ? Number(number) : -1;
	}
}
