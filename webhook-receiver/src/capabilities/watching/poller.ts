import type { Registry } from 'prom-client';
import type { Kernel } from '../../capability.ts';
import { counter, total } from '../../http/counts.ts';
import type { ServiceConfig } from '../../outgoing/service-agent.ts';
import { iso } from '../../time/iso.ts';
import { WELL, afterAnswer } from './health.ts';
import { NOTED_EVERY_MS } from './service-health.ts';
import type { ServiceHealth } from './service-health.ts';
import type { WatchedLetters } from './watched-letters.ts';
import { afterBreak, afterReading, beginReading } from './list-reading.ts';
import { isDue } from './lists.ts';
import type { Lists, WatchedList } from './lists.ts';
import type { WatchPace } from './pace.ts';
import { POLLS_AT_ONCE, createService } from './service.ts';
import type { ListPageAnswer, NoAnswer, ServiceAnswer } from './service.ts';

export interface WatchConfig extends WatchPace {
	service: ServiceConfig;
}

interface Parts {
	letters: WatchedLetters;
	lists: Lists;
	serviceHealth: ServiceHealth;
	counts: PollCounts;
}

/** Polls that may leave within this time leave together: that spreads them evenly enough. */
const TOGETHER_MS = 100;

/** How often to look at least, since the clock may be set back. */
const LOOK_AGAIN_MS = 60_000;

/** A letter whose answer could not be stored is not asked for again at once. */
const NOT_STORED_MS = 30_000;

const RESULTS = [
	'status',
	'message-not-found',
	'list-page',
	'resellers-only',
	'refused',
	'busy',
	'unreachable',
	'failed',
] as const;

type PollCounts = ReturnType<typeof pollCounts>;

export function pollCounts(registry: Registry) {
	return {
		polls: counter(
			registry,
			'watch_polls',
			`Polls of letters and lists: ${RESULTS.slice(0, -1).join(', ')} or ${RESULTS.at(-1)}`,
			'result',
			RESULTS,
		),
		events: total(registry, 'watch_events', 'Events made from polls'),
	};
}

/**
 * Asks the delivery service for what is due, evenly and within the rate limit; what it says becomes events in
 * the log. Nothing is noted of a poll before its answer: one that is lost is still due.
 */
export function createPoller(
	{ clock, logger, wake }: Kernel,
	config: WatchConfig,
	{ letters, lists, serviceHealth, counts }: Parts,
) {
	const service = createService(config.service, clock.now);
	const intervalMs = Math.ceil(60_000 / config.pollsPerMinute);
	/** By letter or list. */
	const underWay = new Map<string, Promise<void>>();
	const stopping = new AbortController();
	let health = WELL;
	/** Why polling is paused. */
	let problem: string | null = null;
	/** By the time of this process: when it was last noted that the service answers. */
	let answeredAt = -Infinity;
	/** By the time of this process: when the rate limit allows the next poll. */
	let freeAt = -Infinity;
	let mayWant = true;
	let hasBegun = false;
	let readings = 0;

	/** Starts as many polls as may leave now. */
	async function due(): Promise<number | null> {
		if (!hasBegun) await serviceHealth.tryAtOnce(clock.now());
		hasBegun = true;
		await wantLists();
		const now = clock.now();
		const pause = await serviceHealth.read(now);
		problem = pause.problem;
		if (pause.until > now) return Math.min(pause.until - now, LOOK_AGAIN_MS);
		// A person may have ended the pause.
		health = { ...health, pausedUntil: 0 };
		const restMs = freeAt - clock.elapsed();
		if (restMs > 0 && problem === null) return restMs;
		// A single trial poll while something is wrong, after a pause that is longer, or as a person asks.
		const room = (problem === null ? POLLS_AT_ONCE : 1) - underWay.size;
		// Each poll wakes the loop when it ends.
		if (room <= 0) return null;
		const most = Math.min(room, Math.max(1, Math.floor(TOGETHER_MS / intervalMs)));
		// Before it asks what is due: one whose answer is noted meanwhile was still due then.
		const busy = new Set(underWay.keys());
		const all = await lists.watched();
		const isIdle = ({ name }: WatchedList) => !busy.has(name);
		const started =
			(await startLists(all.filter(isIdle), now, most)) || (await startLetters(busy, now, most));
		if (started > 0) return Math.max(freeAt - clock.elapsed(), 0);
		const nextAt = await letters.nextAt(now);
		const times = all.filter(isIdle).map((one) => one.nextPollAt);
		const next = Math.min(nextAt ?? Infinity, ...times);
		if (next === Infinity) return null;
		return Math.min(Math.max(next - now, intervalMs), LOOK_AGAIN_MS);
	}

	async function wantLists(): Promise<void> {
		if (!mayWant) return;
		mayWant = false;
		try {
			await lists.want(clock.now());
		} catch (error) {
			mayWant = true;
			throw error;
		}
	}

	async function startLists(
		all: readonly WatchedList[],
		now: number,
		most: number,
	): Promise<number> {
		const found = all.filter((one) => isDue(one, now, config));
		let started = 0;
		for (const one of found.slice(0, most)) {
			if (!(await lists.begin(one.name, now))) continue;
			start(one.name, readList(one));
			started++;
		}
		return started;
	}

	async function startLetters(
		busy: ReadonlySet<string>,
		now: number,
		most: number,
	): Promise<number> {
		const found = await letters.due(now, most + busy.size, config);
		const polls = found.filter(({ messageId }) => !busy.has(messageId)).slice(0, most);
		for (const poll of polls) {
			reserveSlot();
			start(poll.messageId, pollLetter(poll));
		}
		return polls.length;
	}

	function start(subject: string, work: Promise<void>): void {
		const all = work
			.catch(async (error: unknown) => {
				logger.error({ err: error }, 'storing what a poll saw failed');
				await rest(NOT_STORED_MS);
			})
			.finally(() => {
				underWay.delete(subject);
				// What is due next may be so before the loop's next wake-up.
				wake();
			});
		underWay.set(subject, all);
	}

	async function pollLetter(poll: Parameters<WatchedLetters['note']>[0]): Promise<void> {
		const answer = await service.statusOf(poll.messageId);
		if (!(await isAnswer(poll.messageId, answer))) return;
		counts.events(await letters.note(poll, answer, clock.now(), config));
	}

	/** Reads a list from its first page to its last. */
	async function readList({ name, watch }: WatchedList): Promise<void> {
		readings++;
		let reading = beginReading(watch, clock.now());
		for (;;) {
			await rest(reserveSlot());
			const answer = await service.listPage(name, reading.pages + 1);
			// One letter may be unreadable by itself; a list that fails again and again is trouble.
			if (!(await isAnswer(`${name} ${readings}`, answer))) return;
			const now = clock.now();
			if (answer.kind !== 'list-page') {
				return lists.end(name, (known) => afterBreak(name, known, answer, now), null);
			}
			const noted = await lists.notePage(name, { watch, reading }, answer, now);
			counts.events(noted.events);
			reading = noted.reading;
			if (reading.pages < answer.lastPage) continue;
			const done = reading;
			return lists.end(
				name,
				(known) => afterReading(name, known, done, now, config),
				done.startedAt,
			);
		}
	}

	/** Takes the next poll that the rate limit allows; returns how long it has to wait. */
	function reserveSlot(): number {
		const elapsed = clock.elapsed();
		const at = Math.max(freeAt, elapsed);
		freeAt = at + intervalMs;
		return at - elapsed;
	}

	function rest(milliseconds: number): Promise<void> {
		if (milliseconds <= 0 || stopping.signal.aborted) return Promise.resolve();
		return new Promise((resolve) => {
			const end = () => {
				cancel();
				stopping.signal.removeEventListener('abort', end);
				resolve();
			};
			const cancel = clock.after(milliseconds, end);
			stopping.signal.addEventListener('abort', end);
		});
	}

	/** False for one that a stop has cut off: nobody knows what the service would have said. */
	async function isAnswer(subject: string, answer: ServiceAnswer | ListPageAnswer) {
		if (stopping.signal.aborted && answer.kind === 'failed') return false;
		counts.polls(answer.kind);
		await noteHealth(subject, answer);
		return true;
	}

	/** When the service is down, busy, or rejects us, polling pauses for a while. */
	async function noteHealth(
		subject: string,
		answer: ServiceAnswer | ListPageAnswer,
	): Promise<void> {
		const { pauses } = health;
		health = afterAnswer(health, subject, answer, clock.elapsed());
		if (health === WELL) {
			if (problem === null && clock.elapsed() - answeredAt < NOTED_EVERY_MS) return;
			if (problem !== null) logger.info('the delivery service answers again');
			problem = null;
			answeredAt = clock.elapsed();
			await noted(serviceHealth.answered(clock.now()));
		} else if (health.pauses > pauses && answer.kind in ADVICE) {
			const { kind, problem: what } = answer as NoAnswer;
			const until = Math.round(clock.now() + health.pausedUntil - clock.elapsed());
			const level = kind === 'refused' ? 'error' : 'warn';
			logger[level]({ problem: what, until: iso(until) }, ADVICE[kind]);
			problem = what;
			await noted(serviceHealth.pause({ until, problem, now: clock.now() }));
		}
	}

	async function noted(work: Promise<void>): Promise<void> {
		try {
			await work;
		} catch (error) {
			logger.error({ err: error }, 'storing whether the service answers failed');
		}
	}

	return {
		/** What another receiver did of it is not known here. */
		lead() {
			mayWant = true;
			hasBegun = false;
			return due;
		},
		/** A consumer or an execution may want other lists. */
		onWants(): void {
			mayWant = true;
		},
		/** Asks with another certificate or token from now on. */
		renew: (next: ServiceConfig) => service.renew(next),
		/** Aborts polls in progress; resolves when they have ended. */
		async stop(): Promise<void> {
			stopping.abort();
			await service.close();
			await Promise.all(underWay.values());
		},
	};
}

/** What to log for each kind of trouble. */
const ADVICE = {
	refused:
		'the delivery service does not accept SERVICE_TOKEN or the client certificate: nothing is watched until it does',
	busy: 'the delivery service asks to wait: polling is paused; lower WATCH_RATE_LIMIT if this comes again',
	unreachable: 'the delivery service cannot be reached: polling is paused',
	failed: 'the delivery service does not answer as it should: polling is paused',
};
