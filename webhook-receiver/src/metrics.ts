import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Clock } from './clock.ts';
import type { BatchSettlement, StoredConsumer, WakeUpResult } from './core/pull-contract.ts';
import type { Store } from './store/store.ts';
import type { WatchFigures } from './store/watches.ts';

export interface Metrics {
	/** `outcome`: accepted, duplicate or refused. */
	countEvents(outcome: 'accepted' | 'duplicate' | 'refused', count: number): void;
	/** Batches that n8n got, or settled. */
	countBatches(outcome: 'handed-out' | BatchSettlement['outcome'], count: number): void;
	/** Wake-ups that n8n got, or told of. */
	countWakeUps(outcome: 'handed-out' | WakeUpResult['outcome'], count: number): void;
	/** One poll of a watched letter, by what came of it. */
	countPoll(result: string): void;
	/** Events that polls made. */
	countWatched(events: number): void;
	/** The text Prometheus reads. */
	text(state: MetricsState): Promise<string>;
	contentType: string;
}

export interface MetricsState {
	consumers: readonly StoredConsumer[];
	pullsHeld: number;
	watching: WatchFigures;
}

/** A consumer that nobody pulled for longer may be gone for good: what waits for it is no alarm. */
const ATTENDED_MS = 3_600_000;

/** Figures for Prometheus; each receiver has a registry of its own. */
export function createMetrics(clock: Clock): Metrics {
	const registry = new Registry();
	const registers = [registry];
	collectDefaultMetrics({ register: registry });
	const counter = (name: string, help: string, labelNames: string[] = []) =>
		new Counter({ registers, name: `receiver_${name}`, help, labelNames });
	const gauge = (name: string, help: string, labelNames: string[] = []) =>
		new Gauge({ registers, name: `receiver_${name}`, help, labelNames });

	const events = counter(
		'events_total',
		'Events that arrived: accepted, duplicate, or requests refused',
		['outcome'],
	);
	const batches = counter(
		'batches_total',
		'Batches: handed-out to n8n; settled as ack, nak (to come again) or dead',
		['outcome'],
	);
	const wakeUps = counter(
		'wake_ups_total',
		'Wake-ups of executions: handed-out to n8n; then resumed, over (it waits no more) or failed',
		['outcome'],
	);
	const perConsumer = ['consumer'];
	const behind = gauge(
		'consumer_behind',
		'Events that a consumer has not come to, wanted or not',
		perConsumer,
	);
	const inHand = gauge('consumer_in_hand', 'Batches that n8n has in hand', perConsumer);
	const dead = gauge('consumer_dead', 'Batches that n8n refused for good', perConsumer);
	const held = gauge('consumer_held', '1 while an n8n holds the consumer', perConsumer);
	const oldest = gauge(
		'oldest_waiting_seconds',
		'Age of the oldest event that waits for, or is in hand of, an n8n that pulled within the last hour; 0 when none does',
	);
	const pulls = gauge('pulls_held', 'Pulls that are held now');
	const polls = counter(
		'watch_polls_total',
		'Polls of watched letters: status, message-not-found, refused, busy or failed',
		['result'],
	);
	const watchedEvents = counter(
		'watch_events_total',
		'Events that polls made of changes of status',
	);
	const watched = gauge('watched_letters', 'Letters that are watched');
	const overdue = gauge(
		'watch_overdue_seconds',
		'How long ago the most urgent poll was due, 0 when none is late',
	);
	const watchHeld = gauge(
		'watch_held',
		'1 while the delivery service refuses polls, asks to wait, or does not answer',
	);
	return {
		contentType: registry.contentType,
		countEvents: (outcome, count) => events.inc({ outcome }, count),
		countBatches(outcome, count) {
			if (outcome === 'inProgress') return;
			batches.inc({ outcome: outcome === 'term' ? 'dead' : outcome }, count);
		},
		countWakeUps: (outcome, count) => wakeUps.inc({ outcome }, count),
		countPoll: (result) => polls.inc({ result }),
		countWatched: (events) => watchedEvents.inc(events),
		async text({ consumers, pullsHeld, watching }) {
			for (const one of [behind, inHand, dead, held]) one.reset();
			for (const one of consumers) {
				const labels = { consumer: one.key };
				behind.set(labels, one.behind);
				inHand.set(labels, one.inHand);
				dead.set(labels, one.dead);
				held.set(labels, one.held ? 1 : 0);
			}
			oldest.set(oldestWaitingMs(consumers, clock.now()) / 1000);
			pulls.set(pullsHeld);
			watched.set(watching.watched);
			overdue.set(overdueMs(watching, clock.now()) / 1000);
			watchHeld.set(watching.problem === null ? 0 : 1);
			return registry.metrics();
		},
	};
}

/** Age of the oldest event that waits for an n8n which pulls, or did within the hour; 0 when none does. */
export function oldestWaitingMs(consumers: readonly StoredConsumer[], now: number): number {
	const times = consumers
		.filter(({ held, pulledAt }) => held || now - Date.parse(pulledAt) <= ATTENDED_MS)
		.map(({ oldestAt }) => (oldestAt === null ? now : Date.parse(oldestAt)));
	return Math.max(0, now - Math.min(now, ...times));
}

/** How late the most urgent poll is, 0 when none is. */
export function overdueMs({ nextPollAt }: WatchFigures, now: number): number {
	return nextPollAt === null ? 0 : Math.max(0, now - nextPollAt);
}

/** The consumers, asked for at most once a second: probes and scrapes must not burden the store. */
export function rememberedConsumers(store: Store, clock: Clock): () => Promise<StoredConsumer[]> {
	return remembered(() => store.consumers.list(clock.now()), clock);
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
