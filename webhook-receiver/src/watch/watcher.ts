import type { Logger } from 'pino';
import type { LetterToWatch } from '../core/event-contract.ts';
import type { WaitConsent } from '../core/wait-contract.ts';
import type { Clock } from '../time/clock.ts';
import { DueLoop } from '../time/due-loop.ts';
import { iso } from '../time/iso.ts';
import { WELL, afterAnswer } from './health.ts';
import type { WatchPace } from './pace.ts';
import { POLLS_AT_ONCE, POLL_TIMEOUT_MS, createService } from './service.ts';
import type { ListPageAnswer, ServiceAnswer, NoAnswer } from './answers.ts';
import type { ServiceConfig } from './service.ts';
import type { Watches } from './watches.ts';

export interface WatcherParts {
	store: { watching: Watches };
	clock: Clock;
	logger: Logger;
	metrics: {
		countPoll(result: string): void;
		countWatched(events: number): void;
	};
}

export interface WatcherConfig extends WatchPace {
	service: ServiceConfig;
	/** Across all receivers on one database. */
	pollsPerMinute: number;
}

/** Polls due within this time are leased together: that spreads them evenly enough. */
const TAKEN_TOGETHER_MS = 100;

/** After this, other receivers make the polls that a receiver had leased. */
const LEASE_MS = POLL_TIMEOUT_MS + 30_000;

/** How often to look for work of a receiver that has stopped. */
const LOOK_AGAIN_MS = 60_000;

export type Watcher = ReturnType<typeof createWatcher>;

/**
 * Polls watched messages and lists when due, evenly and within the rate limit, once woken; what it sees
 * becomes events in the store.
 */
export function createWatcher(
	config: WatcherConfig,
	{ store: { watching }, clock, logger, metrics }: WatcherParts,
) {
	const service = createService(config.service, clock.now);
	const underWay = new Set<Promise<void>>();
	let health = WELL;
	/** Why polling is paused, here or at another receiver. */
	let problem: string | null = null;
	/** A list may have become wanted. */
	let mayWant = true;
	let hasBegun = false;
	let stopped = false;

	const loop = new DueLoop({
		clock,
		work: startPolls,
		onError: (error) => logger.error({ err: error }, 'looking for what to poll failed'),
	});

	/** Leases as many polls from the store as may start now. */
	async function startPolls(): Promise<number | null> {
		if (!hasBegun) await watching.tryAtOnce(clock.now());
		hasBegun = true;
		await wantLists();
		const pauseMs = health.pausedUntil - clock.elapsed();
		if (pauseMs > 0) return Math.min(pauseMs, LOOK_AGAIN_MS);
		// A single trial poll while something is wrong.
		const room = (problem === null ? POLLS_AT_ONCE : 1) - underWay.size;
		// Each poll wakes the loop when it ends.
		if (room <= 0) return null;
		const intervalMs = Math.ceil(60_000 / config.pollsPerMinute);
		const together = Math.max(1, Math.floor(TAKEN_TOGETHER_MS / intervalMs));
		const most = Math.min(room, together);
		const now = clock.now();
		const leased = await watching.lease({ now, most, intervalMs, leaseMs: LEASE_MS });
		problem = leased.problem;
		for (const one of leased.polls) {
			const asked = service.statusOf(one.messageId);
			start(
				follow(one.messageId, asked, (answer) => watching.note(one, answer, clock.now(), config)),
			);
		}
		for (const one of leased.listPages) {
			const asked = service.listPage(one.list, one.page);
			// One letter may be unreadable by itself; a list that fails again and again is trouble.
			start(
				follow(`${one.list} ${one.revision}`, asked, (answer) =>
					watching.noteListPage({ ...one, answer }, clock.now(), config),
				),
			);
		}
		const count = leased.polls.length + leased.listPages.length;
		if (count > 0) return count * intervalMs;
		// What is watched first wakes it, at whichever receiver it was asked for.
		return leased.wakeAt === null ? null : Math.min(leased.wakeAt - now, LOOK_AGAIN_MS);
	}

	async function wantLists(): Promise<void> {
		if (!mayWant) return;
		mayWant = false;
		try {
			await watching.want(clock.now());
		} catch (error) {
			mayWant = true;
			throw error;
		}
	}

	function start(poll: Promise<void>): void {
		const work = poll.finally(() => {
			underWay.delete(work);
			// Its next poll may be due before the loop's next wake-up.
			loop.wake();
		});
		underWay.add(work);
	}

	/** @param note takes null for a poll that was not made after all; returns how many events resulted */
	async function follow<Answer extends ServiceAnswer | ListPageAnswer>(
		subject: string,
		asked: Promise<Answer>,
		note: (answer: Answer | null) => Promise<number>,
	): Promise<void> {
		const answer = await asked;
		const isMade = !stopped || answer.kind !== 'failed';
		if (isMade) {
			metrics.countPoll(answer.kind);
			await noteHealth(subject, answer);
		}
		try {
			metrics.countWatched(await note(isMade ? answer : null));
		} catch (error) {
			// It is polled again when its lease ends.
			logger.error({ err: error }, 'storing what a poll saw failed');
		}
	}

	/** When the service is down, busy, or rejects us, all receivers pause for a while. */
	async function noteHealth(
		subject: string,
		answer: ServiceAnswer | ListPageAnswer,
	): Promise<void> {
		const { pauses } = health;
		health = afterAnswer(health, subject, answer, clock.elapsed());
		if (health === WELL) {
			if (problem === null) return;
			logger.info('the delivery service answers again');
			await hold(0, null);
		} else if (health.pauses > pauses && answer.kind in ADVICE) {
			const { kind, problem: what } = answer as NoAnswer;
			const until = Math.round(clock.now() + health.pausedUntil - clock.elapsed());
			const level = kind === 'refused' ? 'error' : 'warn';
			logger[level]({ problem: what, until: iso(until) }, ADVICE[kind]);
			await hold(until, what);
		}
	}

	async function hold(until: number, what: string | null): Promise<void> {
		problem = what;
		try {
			await watching.hold({ until, problem, now: clock.now() });
		} catch (error) {
			logger.error({ err: error }, 'storing that polling is held up failed');
		}
	}

	return {
		/** How often letters are polled. */
		pace: config as WatchPace,

		/** Starts watching messages, or adds to what is known about those already watched. */
		async watch(letters: readonly LetterToWatch[]) {
			const answer = await watching.put(letters, clock.now(), config);
			loop.wake();
			return answer;
		},

		/** Notes whose consents are awaited before the list shows them. */
		expect: (consents: readonly WaitConsent[]) => watching.expect(consents, clock.now()),

		/** The store has told of something new to poll. */
		onPolls(): void {
			mayWant = true;
			loop.wake();
		},

		/** Polls at once although polling is held up: a person has mended what held it up. */
		async tryAtOnce(): Promise<void> {
			health = { ...health, pausedUntil: 0 };
			await watching.tryAtOnce(clock.now());
			loop.wake();
		},

		/** Asks with another certificate or token from now on. */
		renew: (next: ServiceConfig) => service.renew(next),

		/** Makes the polls that are due, then sleeps until the next. */
		wake: () => loop.wake(),

		/** Leases nothing new and aborts polls in progress; resolves when those are given back. */
		async stop(): Promise<void> {
			stopped = true;
			await Promise.all([loop.stop(), service.close()]);
			await Promise.all(underWay);
		},
	};
}

/** What to log for each kind of trouble. */
const ADVICE = {
	refused:
		'the delivery service does not accept SERVICE_TOKEN or the client certificate: nothing is watched until it does',
	busy: 'the delivery service asks to wait: polling is held up; lower WATCH_RATE_LIMIT if this comes again',
	failed: 'the delivery service does not answer as it should: polling is held up',
};
