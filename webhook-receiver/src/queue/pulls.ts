import type { Logger } from 'pino';
import { HttpError } from '../core/http-error.ts';
import { HELD_BY_ANOTHER, instanceOf } from '../core/pull-contract.ts';
import type { Batch, BatchSettlement, Pull, PullAnswer, WakeUp } from '../core/pull-contract.ts';
import type { Counts } from '../http/counts.ts';
import { Gate } from '../http/gate.ts';
import type { Engine } from '../sql/engine.ts';
import { RecentEvents } from '../sql/log.ts';
import type { Clock } from '../time/clock.ts';
import { iso } from '../time/iso.ts';
import { wakeUpQueue } from './batch-rows.ts';
import type { Consumers, WakeUpSource } from './consumers.ts';
import { OpenPull, OpenPulls } from './open-pulls.ts';
import { take } from './take.ts';
import type { Taken } from './take.ts';

interface PullsParts {
	database: Pick<Engine, 'transaction'>;
	consumers: Consumers;
	clock: Clock;
	logger: Logger;
	counts: Counts;
	/** Undefined where no execution sleeps. */
	wakeUps: () => WakeUpSource | undefined;
	/** Whether letters are watched; part of the answer. */
	isWatching: () => boolean;
}

/** Most simultaneous looks at the log: when 1,000 consumers want one event, ingest goes on. */
const LOOKS_AT_ONCE = 32;

const WARN_EVERY_MS = 60_000;

/** For a wake-up that is already due but briefly leased elsewhere. */
const LOOK_AGAIN_MS = 1_000;

const NOTHING: Taken = { kind: 'taken', batches: [], wakeAt: null, more: false, isFull: false };

/**
 * Leaves pulls open until something is due. Each pull looks at the store when it arrives,
 * when notified that there may be something, and before an empty answer.
 */
export class Pulls {
	/** Those not answered yet; the store tells them what is new. */
	readonly open = new OpenPulls();
	private readonly parts: PullsParts;
	private readonly gate = new Gate(LOOKS_AT_ONCE);
	private readonly recent = new RecentEvents();
	private readonly warnedAt = new Map<string, number>();
	/**
	 * Holders whose connection broke and that have not pulled since: the last answer may be lost.
	 */
	private readonly lost = new Set<string>();
	/** When the next wake-ups of an n8n fall due, by the time of this process. */
	private readonly due = new Map<string, { at: number; cancel: () => void }>();
	private stopped = false;

	constructor(parts: PullsParts) {
		this.parts = parts;
	}

	/**
	 * @param gone aborts when the connection closes before the answer: nobody is left to receive it
	 * @throws HttpError 409 {@link HELD_BY_ANOTHER}
	 */
	async pull(key: string, request: Pull, gone: AbortSignal): Promise<PullAnswer> {
		const { holder, wakeUps } = request;
		await this.settle(wakeUpQueue(instanceOf(key)), holder, wakeUps, 'wakeUps');
		if (request.leaving) return this.leave(key, request);
		const pull = new OpenPull(key, request, this.parts.clock);
		this.open.add(pull);
		this.lost.delete(holdOf(pull));
		gone.addEventListener('abort', () => void pull.end(), { once: true });
		if (gone.aborted || this.stopped) void pull.end();
		let isExpectedBack = false;
		try {
			const answer = await this.untilDue(pull);
			isExpectedBack = !gone.aborted;
			return answer;
		} finally {
			this.open.remove(pull, isExpectedBack ? this.parts.clock.elapsed() : null);
			// A pull that may have been told of wake-ups but no longer looks passes the notice on.
			if (pull.seeksWakeUps) this.open.offerWakeUps(pull.instance);
			if (gone.aborted) this.lost.add(holdOf(pull));
			await this.releaseIfLost(pull);
			pull.finish();
		}
	}

	/**
	 * How many processes of an n8n pull. Counts those that pull here. Pulls at other receivers on
	 * the same database show only through a consumer they hold: those count as one.
	 */
	async processesOf(instance: string): Promise<number> {
		const { clock, consumers } = this.parts;
		const here = this.open.processesOf(instance, clock.elapsed());
		if (here > 0) return here;
		const all = await consumers.list(clock.now());
		return all.some(({ key, held }) => held && key.startsWith(`${instance}~`)) ? 1 : 0;
	}

	/** Removes a consumer and its batches. An n8n that pulls starts over. */
	async remove(key: string): Promise<void> {
		await endAll(this.open.of(key));
		await this.parts.consumers.remove(key, this.parts.clock.now());
	}

	/** Answers all open pulls; later ones are answered at once. */
	stop(): void {
		this.stopped = true;
		for (const { cancel } of this.due.values()) cancel();
		void endAll(this.open.all());
	}

	private async untilDue(pull: OpenPull): Promise<PullAnswer> {
		const { clock } = this.parts;
		const { key, holder, request } = pull;
		if (request.wants === null) await this.settle(key, holder, request.settle, 'batches');
		for (;;) {
			pull.beginLook();
			const taken = await this.take(pull);
			if (taken.kind === 'held') {
				this.warnOfRival(pull, taken.since);
				throw heldByAnother(taken.since);
			}
			const { batches, wakeAt, more } = taken;
			// Claimed only now: a holder that is refused gets no wake-ups either.
			const { wakeUps, waiting } = await this.wakeUps(pull, pull.wakeUpRoom);
			const isDue = batches.length > 0 || wakeUps.length > 0;
			const restMs = pull.endsAt - clock.elapsed();
			if (isDue || pull.isOver || restMs <= 0) {
				return this.answer(batches, wakeUps, waiting);
			}
			if (more) pull.tell();
			await pull.wait(Math.min(restMs, (wakeAt ?? Infinity) - clock.now()));
		}
	}

	private async take(pull: OpenPull): Promise<Taken> {
		const { clock, counts, database } = this.parts;
		const { key, request } = pull;
		const { wants } = request;
		const since = request.since === null ? null : Date.parse(request.since);
		if (wants === null) return NOTHING;
		const settle = pull.drainSettlements();
		const taken = await this.gate.run(() => {
			const holdMs = Math.max(Math.round(pull.endsAt - clock.elapsed()), 0);
			const look = { ...request, key, wants, holdMs, settle, since };
			return database.transaction((tx) => take(tx, this.recent, look, clock.now()));
		});
		if (taken.kind === 'held') return taken;
		pull.isFull = taken.isFull;
		counts.batches('handed-out', taken.batches.length);
		for (const { outcome } of settle) counts.batches(outcome, 1);
		return taken;
	}

	/**
	 * The wake-ups that are due, and whether executions wait; from now on, signals when the next falls due.
	 *
	 * @param most that the puller has room for
	 */
	private async wakeUps(
		{ instance, holder }: { instance: string; holder: string },
		most: number,
	): Promise<{ wakeUps: WakeUp[]; waiting: boolean }> {
		const { clock, counts } = this.parts;
		const source = this.parts.wakeUps();
		if (source === undefined) return { wakeUps: [], waiting: false };
		const now = clock.now();
		const { any: waiting, nextAt } = await source.waiting(instance, now);
		if (nextAt !== null) this.lookAgain(instance, nextAt - now);
		if (nextAt === null || nextAt > now || most === 0) return { wakeUps: [], waiting };
		const wakeUps = await source.lease({ instance, holder, most }, now);
		counts.wakeUps('handed-out', wakeUps.length);
		if (wakeUps.length === most) this.open.offerWakeUps(instance);
		return { wakeUps, waiting };
	}

	private lookAgain(instance: string, afterMs: number): void {
		// Open pulls are still being answered.
		if (this.stopped) return;
		const { clock } = this.parts;
		const planned = this.due.get(instance);
		const delayMs = Math.max(afterMs, LOOK_AGAIN_MS);
		const at = clock.elapsed() + delayMs;
		if (planned !== undefined && planned.at <= at) return;
		planned?.cancel();
		const cancel = clock.due(delayMs, () => {
			this.due.delete(instance);
			this.open.offerWakeUps(instance);
		});
		this.due.set(instance, { at, cancel });
	}

	/**
	 * n8n leaves: its open pulls end first, or a look in progress would take the consumer again.
	 */
	private async leave(key: string, request: Pull): Promise<PullAnswer> {
		const { clock, consumers } = this.parts;
		await endAll(this.open.of(key, request.holder));
		await this.settle(key, request.holder, request.settle, 'batches');
		await consumers.release(key, request.holder, clock.now());
		this.open.forget(request.holder);
		const puller = { instance: instanceOf(key), holder: request.holder };
		return this.answer([], [], (await this.wakeUps(puller, 0)).waiting);
	}

	/** Releases the consumer of a lost holder once none of its pulls is open. */
	private async releaseIfLost(pull: OpenPull): Promise<void> {
		const { clock, logger, consumers } = this.parts;
		const { key, request } = pull;
		if (this.open.of(key, request.holder).length > 0 || !this.lost.delete(holdOf(pull))) return;
		if (request.wants === null) return;
		try {
			await consumers.release(key, request.holder, clock.now());
		} catch (error) {
			logger.error({ consumer: key, err: error }, 'freeing a consumer failed');
		}
	}

	private async settle(
		queue: string,
		holder: string,
		settle: readonly BatchSettlement[],
		count: 'batches' | 'wakeUps',
	): Promise<void> {
		const { clock, counts, consumers } = this.parts;
		if (settle.length === 0) return;
		await consumers.settle({ key: queue, holder, settle }, clock.now());
		for (const { outcome } of settle) counts[count](outcome, 1);
	}

	private warnOfRival({ key, request }: OpenPull, since: number): void {
		const now = this.parts.clock.elapsed();
		if (now - (this.warnedAt.get(key) ?? -Infinity) < WARN_EVERY_MS) return;
		this.warnedAt.set(key, now);
		this.parts.logger.warn(
			{ consumer: key, name: request.name, heldSince: iso(since) },
			'a second n8n with the same identity was refused: stop one of the two',
		);
	}

	private answer(batches: Batch[], wakeUps: WakeUp[], waiting: boolean): PullAnswer {
		const { clock, isWatching } = this.parts;
		return { batches, wakeUps, waiting, watching: isWatching(), now: iso(clock.now()) };
	}
}

/** Resolves when all are answered. */
async function endAll(pulls: Iterable<OpenPull>): Promise<void> {
	await Promise.all([...pulls].map((pull) => pull.end()));
}

/** A consumer in the hands of one process. */
function holdOf({ key, request }: OpenPull): string {
	return `${key} ${request.holder}`;
}

function heldByAnother(since: number): HttpError {
	const time = iso(since);
	const message =
		`Another n8n with the same identity has pulled the events of this workflow since ${time}, and ` +
		'each event must start only one execution. A restored backup or a copy of this n8n has its ' +
		'identity: stop one of the two, or unpublish the workflow in one. If the other one has just ' +
		'been stopped, this ends by itself within a minute or two.';
	return new HttpError(409, HELD_BY_ANOTHER, message);
}
