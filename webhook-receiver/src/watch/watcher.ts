import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Metrics } from '../metrics.ts';
import type { Store } from '../store/store.ts';
import type { PollClaim, PollOutcome } from '../store/watches.ts';
import { afterOvertaken, afterPoll } from './decide.ts';
import type { WatchPace } from './decide.ts';
import { WELL, afterAnswer, tellsOfMessage } from './health.ts';
import { pauseAfter } from './pause.ts';
import { POLLS_AT_ONCE, POLL_TIMEOUT_MS } from './service.ts';
import type { Service, ServiceAnswer } from './service.ts';

export interface WatcherParts {
	store: Store;
	service: Service;
	clock: Clock;
	logger: Logger;
	metrics: Pick<Metrics, 'countPoll' | 'countWatched'>;
}

export interface WatcherConfig extends WatchPace {
	/** Of all receivers on one database together. */
	pollsPerMinute: number;
}

/** Polls taken from the store at once: no more than start within so long, and at most so many. */
const STEP_MS = 5_000;
const LARGEST_STEP = 2 * POLLS_AT_ONCE;

/** After this, others poll what a receiver had taken: more than a step takes when all time out. */
const LEASE_MS = STEP_MS + (LARGEST_STEP / POLLS_AT_ONCE) * POLL_TIMEOUT_MS + 30_000;

/** How often to look for what another receiver, now gone, was to wake for. */
const LOOK_AGAIN_MS = 60_000;

/** How long a store that fails is left alone before it is asked again. */
const STORE_PAUSE_MS = 1_000;

/**
 * Polls the watched messages when they are due, evenly and no faster than allowed; what was seen
 * becomes events in the store (design, section Outcomes).
 */
export class Watcher {
	private readonly config: WatcherConfig;
	private readonly parts: WatcherParts;
	private readonly underWay = new Set<Promise<void>>();
	private working: Promise<void> | null = null;
	private lookAgain = false;
	private stopped = false;
	private cancelTimer: (() => void) | null = null;
	/** Ends the wait for a poll's place in the line. */
	private endWait: (() => void) | null = null;
	private health = WELL;
	/** What was taken from the store before this time is not polled but given back. */
	private heldUntil = 0;
	private problem: string | null = null;
	private lastPollAt = -Infinity;

	constructor(config: WatcherConfig, parts: WatcherParts) {
		this.config = config;
		this.parts = parts;
	}

	/** Looks for what is due; then sleeps until something is. */
	wake(): void {
		if (this.stopped) return;
		this.lookAgain = true;
		this.working ??= this.work().finally(() => {
			this.working = null;
			if (this.lookAgain) this.wake();
		});
	}

	/** Takes nothing new and breaks off what is under way; resolves when that is given back. */
	async stop(): Promise<void> {
		this.stopped = true;
		this.cancelTimer?.();
		this.endWait?.();
		await this.parts.service.close();
		await this.working;
		await Promise.all(this.underWay);
	}

	private get intervalMs(): number {
		return 60_000 / this.config.pollsPerMinute;
	}

	private async work(): Promise<void> {
		const { clock, logger } = this.parts;
		try {
			while (this.lookAgain && !this.stopped) {
				this.lookAgain = false;
				while (!this.stopped && (await this.takeStep()));
			}
		} catch (error) {
			logger.error({ err: error }, 'looking for letters to poll failed');
			this.sleepUntil(clock.now() + STORE_PAUSE_MS);
		}
	}

	/** Polls a step of what is due; false when nothing is. */
	private async takeStep(): Promise<boolean> {
		const { clock, store } = this.parts;
		this.cancelTimer?.();
		await this.untilRoom();
		const now = clock.now();
		const step = Math.min(LARGEST_STEP, Math.max(1, Math.floor(STEP_MS / this.intervalMs)));
		const claim = await store.watching.claim({
			now,
			// One on trial while something is wrong.
			most: this.problem === null ? step : 1,
			intervalMs: Math.ceil(this.intervalMs),
			leaseMs: LEASE_MS,
		});
		this.problem = claim.problem;
		if (claim.polls.length > 0) await this.pollAll(claim.polls, now);
		else this.sleepUntil(this.wakeTime(claim, now));
		return claim.polls.length > 0;
	}

	private async pollAll(polls: PollClaim['polls'], startAt: number): Promise<void> {
		for (const [index, poll] of polls.entries()) {
			await this.untilRoom();
			// One that had to wait for room is not made up for by haste.
			const interval = Math.ceil(this.intervalMs);
			const soonest = Math.max(startAt + index * interval, this.lastPollAt + interval);
			// It is never further off than that, unless the clock was set back.
			const latest = this.parts.clock.now() + Math.max(STEP_MS, interval);
			await this.untilTime(Math.min(soonest, latest));
			if (this.stopped || this.parts.clock.now() < this.heldUntil) {
				const rest = polls.slice(index).map((one) => ({ ...one, answer: null }));
				return this.settle(rest);
			}
			this.lastPollAt = this.parts.clock.now();
			const work = this.poll(poll).finally(() => {
				this.underWay.delete(work);
				// Its next poll may be due before whatever it is that we sleep until: while it was under
				// way it stood in the store with the end of its lease.
				this.wake();
			});
			this.underWay.add(work);
		}
	}

	private async poll(poll: PollClaim['polls'][number]): Promise<void> {
		const { metrics, service } = this.parts;
		const answer = await service.statusOf(poll.messageId);
		if (this.stopped && answer.kind === 'failed') return this.settle([{ ...poll, answer: null }]);
		metrics.countPoll(answer.kind);
		await this.noteHealth(poll.messageId, answer);
		await this.settle([{ ...poll, answer }]);
	}

	/** What can't be written now is polled again when its lease runs out. */
	private async settle(outcomes: readonly PollOutcome[]): Promise<void> {
		const { clock, logger, metrics, store } = this.parts;
		const now = clock.now();
		const rules = {
			afterPoll: (watch: Parameters<typeof afterPoll>[0], answer: ServiceAnswer) =>
				afterPoll(watch, answer, now, this.config),
			afterOvertaken: (watch: Parameters<typeof afterOvertaken>[0]) =>
				afterOvertaken(watch, now, this.config),
		};
		try {
			metrics.countWatched(await store.watching.settle(outcomes, now, rules));
		} catch (error) {
			logger.error({ err: error, polls: outcomes.length }, 'storing what polls saw failed');
		}
	}

	/** A service that is down, busy, or does not let us in is left alone for a while, by everybody. */
	private async noteHealth(messageId: string, answer: ServiceAnswer): Promise<void> {
		const { clock, logger } = this.parts;
		const now = clock.now();
		this.health = afterAnswer(this.health, messageId, answer, now);
		if (tellsOfMessage(answer)) {
			if (this.problem === null) return;
			logger.info('the delivery service answers again');
			return this.hold(0, null);
		}
		const pause = pauseAfter(answer, this.health, now);
		// While others are under way, the first one to fail speaks for them.
		if (pause === null || now < this.heldUntil) return;
		const level = answer.kind === 'refused' ? 'error' : 'warn';
		const until = new Date(now + pause).toISOString();
		logger[level](
			{ problem: problemOf(answer), until },
			ADVICE[answer.kind] ?? 'polling is held up',
		);
		await this.hold(now + pause, problemOf(answer));
	}

	private async hold(until: number, problem: string | null): Promise<void> {
		const { clock, logger, store } = this.parts;
		this.heldUntil = until;
		this.problem = problem;
		try {
			await store.watching.hold({ until, problem, now: clock.now() });
		} catch (error) {
			logger.error({ err: error }, 'storing that polling is held up failed');
		}
	}

	private wakeTime({ wakeAt }: PollClaim, now: number): number | null {
		const held = wakeAt === null ? null : Math.max(wakeAt, this.heldUntil);
		return Math.min(held ?? Infinity, now + LOOK_AGAIN_MS);
	}

	private sleepUntil(time: number | null): void {
		this.cancelTimer?.();
		if (this.stopped || time === null) return;
		this.cancelTimer = this.parts.clock.at(time, () => this.wake());
	}

	private async untilTime(time: number): Promise<void> {
		const { clock } = this.parts;
		while (clock.now() < time && !this.stopped) {
			await new Promise<void>((resolve) => {
				const cancel = clock.at(time, resolve);
				this.endWait = () => {
					cancel();
					resolve();
				};
			});
		}
		this.endWait = null;
	}

	private async untilRoom(): Promise<void> {
		const room = this.problem === null ? POLLS_AT_ONCE : 1;
		while (this.underWay.size >= room) await Promise.race(this.underWay);
	}
}

/** What the log says of each kind of trouble. */
const ADVICE: Partial<Record<ServiceAnswer['kind'], string>> = {
	refused:
		'the delivery service does not accept SERVICE_TOKEN or the client certificate: no letter is watched until it does',
	busy: 'the delivery service asks to wait: polling is held up; lower WATCH_RATE_LIMIT if this comes again',
	failed: 'the delivery service does not answer as it should: polling is held up',
};

function problemOf(answer: ServiceAnswer): string | null {
	return 'problem' in answer ? answer.problem : null;
}
