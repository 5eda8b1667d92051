import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Clock } from './clock.ts';
import type { Breaker } from './deliver/breaker.ts';
import type { Backlog, Store } from './store/store.ts';
import type { WatchFigures } from './store/watches.ts';
import type { Verdict } from './wait/resume-policy.ts';

export interface Metrics {
	/** `outcome`: accepted, duplicate or refused. */
	countEvents(outcome: 'accepted' | 'duplicate' | 'refused', count: number): void;
	/** One delivery's attempt. */
	countAttempt(outcome: 'delivered' | 'retried' | 'dead'): void;
	/** One attempt to bring a waiting execution its outcomes. */
	countResume(outcome: Verdict['kind']): void;
	/** One poll of a watched letter, by what came of it. */
	countPoll(result: string): void;
	/** Events that polls made. */
	countWatched(events: number): void;
	/** The text Prometheus reads. */
	text(state: MetricsState): Promise<string>;
	contentType: string;
}

export interface MetricsState {
	backlog: Backlog[];
	breakers: ReadonlyMap<string, Breaker>;
	watching: WatchFigures;
}

/** Figures for Prometheus; each receiver has a registry of its own. */
export function createMetrics(clock: Clock): Metrics {
	const registry = new Registry();
	const registers = [registry];
	collectDefaultMetrics({ register: registry });
	const events = new Counter({
		...{ registers, name: 'receiver_events_total', labelNames: ['outcome'] },
		help: 'Events that arrived: accepted, duplicate, or requests refused',
	});
	const attempts = new Counter({
		...{ registers, name: 'receiver_delivery_attempts_total', labelNames: ['outcome'] },
		help: 'Attempts to deliver: delivered, to be retried, or given up as dead',
	});
	const deliveries = new Gauge({
		...{ registers, name: 'receiver_deliveries', labelNames: ['subscription', 'state'] },
		help: 'Deliveries that are pending or dead',
	});
	const oldest = new Gauge({
		...{ registers, name: 'receiver_oldest_undelivered_seconds' },
		help: 'Age of the oldest event that still waits to be delivered, 0 when none does',
	});
	const down = new Gauge({
		...{ registers, name: 'receiver_target_down', labelNames: ['subscription'] },
		help: '1 while a target fails and gets only a trial now and then',
	});
	const resumes = new Counter({
		...{ registers, name: 'receiver_wait_resumes_total', labelNames: ['outcome'] },
		help: 'Attempts to bring a waiting execution its outcomes: resumed, retry, refused, given-up',
	});
	const polls = new Counter({
		...{ registers, name: 'receiver_watch_polls_total', labelNames: ['result'] },
		help: 'Polls of watched letters: status, message-not-found, refused, busy or failed',
	});
	const watchedEvents = new Counter({
		...{ registers, name: 'receiver_watch_events_total' },
		help: 'Events that polls made of changes of status',
	});
	const watched = new Gauge({
		...{ registers, name: 'receiver_watched_letters' },
		help: 'Letters that are watched',
	});
	const overdue = new Gauge({
		...{ registers, name: 'receiver_watch_overdue_seconds' },
		help: 'How long ago the most urgent poll was due, 0 when none is late',
	});
	const held = new Gauge({
		...{ registers, name: 'receiver_watch_held' },
		help: '1 while the delivery service refuses polls, asks to wait, or does not answer',
	});
	return {
		contentType: registry.contentType,
		countEvents: (outcome, count) => events.inc({ outcome }, count),
		countAttempt: (outcome) => attempts.inc({ outcome }),
		countResume: (outcome) => resumes.inc({ outcome }),
		countPoll: (result) => polls.inc({ result }),
		countWatched: (events) => watchedEvents.inc(events),
		async text({ backlog, breakers, watching }) {
			deliveries.reset();
			down.reset();
			for (const { subscription, pending, dead } of backlog) {
				deliveries.set({ subscription, state: 'pending' }, pending);
				deliveries.set({ subscription, state: 'dead' }, dead);
			}
			for (const [subscription, { openUntil }] of breakers) {
				down.set({ subscription }, openUntil === null ? 0 : 1);
			}
			oldest.set(oldestAgeMs(backlog, clock.now()) / 1000);
			watched.set(watching.watched);
			overdue.set(overdueMs(watching, clock.now()) / 1000);
			held.set(watching.problem === null ? 0 : 1);
			return registry.metrics();
		},
	};
}

/** Age of the oldest pending delivery, 0 when there is none. */
export function oldestAgeMs(backlog: readonly Backlog[], now: number): number {
	const times = backlog.map(({ oldestPendingAt }) => oldestPendingAt ?? now);
	return Math.max(0, now - Math.min(now, ...times));
}

/** How late the most urgent poll is, 0 when none is. */
export function overdueMs({ nextPollAt }: WatchFigures, now: number): number {
	return nextPollAt === null ? 0 : Math.max(0, now - nextPollAt);
}

/** The backlog, asked for at most once a second: probes and scrapes must not burden the store. */
export function rememberedBacklog(store: Store, clock: Clock): () => Promise<Backlog[]> {
	return remembered(() => store.backlog(), clock);
}

/** Likewise what is watched. */
export function rememberedWatching(store: Store, clock: Clock): () => Promise<WatchFigures> {
	return remembered(() => store.watching.figures(), clock);
}

function remembered<T>(ask: () => Promise<T>, clock: Clock): () => Promise<T> {
	let asked = -Infinity;
	let answer: Promise<T>;
	return () => {
		if (clock.now() - asked >= 1_000) {
			asked = clock.now();
			answer = ask();
			answer.catch(() => (asked = -Infinity));
		}
		return answer;
	};
}
