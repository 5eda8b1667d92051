import type { Logger } from 'pino';
import type { Watch } from '../core/event-contract.ts';
import type { Clock } from '../time/clock.ts';
import { DueLoop } from '../time/due-loop.ts';
import { WELL, afterAnswer } from './health.ts';
import { nextPoll } from './pace.ts';
import type { WatchPace } from './pace.ts';
import { POLLS_AT_ONCE, POLL_TIMEOUT_MS, createService } from './service.ts';
import type { PageAnswer, Service, ServiceAnswer, ServiceConfig, Trouble } from './service.ts';
import type { PageOutcome, PagePoll, PollClaim, PollOutcome, WatchStore } from './watch-store.ts';
import { newWatch } from './watch.ts';

export interface WatcherParts {
	store: { watching: WatchStore };
	service: Service;
	clock: Clock;
	logger: Logger;
	metrics: {
		countPoll(result: string): void;
		countWatched(events: number): void;
	};
}

export interface WatcherConfig extends WatchPace {
	/** Across all receivers on one database. */
	pollsPerMinute: number;
}

/** Polls due within this time are claimed together: that spreads them evenly enough. */
const TAKEN_TOGETHER_MS = 100;

/** After this, other receivers make the polls that a receiver had claimed. */
const LEASE_MS = POLL_TIMEOUT_MS + 30_000;

/** How often to look for work of a receiver that has stopped. */
const LOOK_AGAIN_MS = 60_000;

/** A watcher for the configured service, which polls once woken; null if none is configured. */
export function createWatcher(
	config: (WatcherConfig & { service: ServiceConfig }) | null,
	parts: Omit<WatcherParts, 'service'>,
): Watcher | null {
	if (config === null) return null;
	return new Watcher(config, { ...parts, service: createService(config.service, parts.clock.now) });
}

/**
 * Polls watched messages and lists when due, evenly and within the rate limit; what it sees becomes events in
 * the store (design, section Outcomes).
 */
export class Watcher {
	private readonly config: WatcherConfig;
	private readonly parts: WatcherParts;
	private readonly loop: DueLoop;
	private readonly underWay = new Set<Promise<void>>();
	private health = WELL;
	/** Why polling is paused, here or at another receiver. */
	private problem: string | null = null;
	/** A list may have become wanted. */
	private mayWant = true;
	private stopped = false;

	constructor(config: WatcherConfig, parts: WatcherParts) {
		this.config = config;
		this.parts = parts;
		this.loop = new DueLoop({
			clock: parts.clock,
			work: () => this.startPolls(),
			onError: (error) => parts.logger.error({ err: error }, 'looking for what to poll failed'),
		});
	}

	/** Starts watching messages, or adds to what is known about those already watched. */
	async watch(letters: ReadonlyArray<Watch & { messageId: string }>) {
		const { clock, store } = this.parts;
		const now = clock.now();
		const watches = letters.map(({ messageId, ...fields }) => {
			const watch = newWatch(messageId, fields, now);
			return { watch, nextPollAt: nextPoll(watch, now, this.config) };
		});
		const answer = await store.watching.put(watches, now);
		this.wake();
		return answer;
	}

	/** The store has told of something new to poll. */
	onPolls(): void {
		this.mayWant = true;
		this.wake();
	}

	/** Makes the polls that are due, then sleeps until the next. */
	wake(): void {
		this.loop.wake();
	}

	/** Claims nothing new and aborts polls in progress; resolves when those are given back. */
	async stop(): Promise<void> {
		this.stopped = true;
		await Promise.all([this.loop.stop(), this.parts.service.close()]);
		await Promise.all(this.underWay);
	}

	/** Claims as many polls from the store as may start now. */
	private async startPolls(): Promise<number | null> {
		const { clock, store } = this.parts;
		await this.wantLists();
		const pauseMs = this.health.pausedUntil - clock.elapsed();
		if (pauseMs > 0) return Math.min(pauseMs, LOOK_AGAIN_MS);
		const { room } = this;
		// Each poll wakes the loop when it ends.
		if (room <= 0) return null;
		const intervalMs = Math.ceil(60_000 / this.config.pollsPerMinute);
		const together = Math.max(1, Math.floor(TAKEN_TOGETHER_MS / intervalMs));
		const most = Math.min(room, together);
		const now = clock.now();
		const claim = await store.watching.claim({ now, most, intervalMs, leaseMs: LEASE_MS });
		this.problem = claim.problem;
		for (const poll of claim.polls) this.start(this.poll(poll));
		for (const page of claim.pages) this.start(this.pollPage(page));
		const count = claim.polls.length + claim.pages.length;
		if (count > 0) return count * intervalMs;
		return Math.min((claim.wakeAt ?? Infinity) - now, LOOK_AGAIN_MS);
	}

	private async wantLists(): Promise<void> {
		if (!this.mayWant) return;
		this.mayWant = false;
		try {
			await this.parts.store.watching.want(this.parts.clock.now());
		} catch (error) {
			this.mayWant = true;
			throw error;
		}
	}

	/** A single trial poll while something is wrong. */
	private get room(): number {
		return (this.problem === null ? POLLS_AT_ONCE : 1) - this.underWay.size;
	}

	private start(poll: Promise<void>): void {
		const work = poll.finally(() => {
			this.underWay.delete(work);
			// Its next poll may be due before the loop's next wake-up.
			this.wake();
		});
		this.underWay.add(work);
	}

	private async poll(poll: PollClaim['polls'][number]): Promise<void> {
		const { metrics, service } = this.parts;
		const answer = await service.statusOf(poll.messageId);
		if (this.stopped && answer.kind === 'failed') return this.settle({ ...poll, answer: null });
		metrics.countPoll(answer.kind);
		await this.noteHealth(poll.messageId, answer);
		await this.settle({ ...poll, answer });
	}

	private async pollPage(poll: PagePoll): Promise<void> {
		const { metrics, service } = this.parts;
		const answer = await service.pageOf(poll.list, poll.page);
		if (this.stopped && answer.kind === 'failed') return this.settlePage({ ...poll, answer: null });
		metrics.countPoll(answer.kind);
		// One letter may be unreadable by itself; a list that fails again and again is trouble.
		await this.noteHealth(`${poll.list} ${poll.revision}`, answer);
		await this.settlePage({ ...poll, answer });
	}

	private settle(outcome: PollOutcome): Promise<void> {
		const { clock, store } = this.parts;
		return this.count(store.watching.settle(outcome, clock.now(), this.config));
	}

	private settlePage(outcome: PageOutcome): Promise<void> {
		const { clock, store } = this.parts;
		return this.count(store.watching.settlePage(outcome, clock.now(), this.config));
	}

	/** A result that can't be written now is polled again when its lease ends. */
	private async count(events: Promise<number>): Promise<void> {
		const { logger, metrics } = this.parts;
		try {
			metrics.countWatched(await events);
		} catch (error) {
			logger.error({ err: error }, 'storing what a poll saw failed');
		}
	}

	/** When the service is down, busy, or rejects us, all receivers pause for a while. */
	private async noteHealth(subject: string, answer: ServiceAnswer | PageAnswer): Promise<void> {
		const { clock, logger } = this.parts;
		const { pauses } = this.health;
		this.health = afterAnswer(this.health, subject, answer, clock.elapsed());
		if (this.health === WELL) {
			if (this.problem === null) return;
			logger.info('the delivery service answers again');
			await this.hold(0, null);
		} else if (this.health.pauses > pauses && answer.kind in ADVICE) {
			const { kind, problem } = answer as Trouble;
			const until = Math.round(clock.now() + this.health.pausedUntil - clock.elapsed());
			const level = kind === 'refused' ? 'error' : 'warn';
			logger[level]({ problem, until: new Date(until).toISOString() }, ADVICE[kind]);
			await this.hold(until, problem);
		}
	}

	private async hold(until: number, problem: string | null): Promise<void> {
		const { clock, logger, store } = this.parts;
		this.problem = problem;
		try {
			await store.watching.hold({ until, problem, now: clock.now() });
		} catch (error) {
			logger.error({ err: error }, 'storing that polling is held up failed');
		}
	}
}

/** What to log for each kind of trouble. */
const ADVICE = {
	refused:
		'the delivery service does not accept SERVICE_TOKEN or the client certificate: nothing is watched until it does',
	busy: 'the delivery service asks to wait: polling is held up; lower WATCH_RATE_LIMIT if this comes again',
	failed: 'the delivery service does not answer as it should: polling is held up',
};
