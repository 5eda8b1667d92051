import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Clock } from './clock.ts';
import type { Breaker } from './deliver/breaker.ts';
import type { Backlog, Store } from './store/store.ts';

export interface Metrics {
	/** `outcome`: accepted, duplicate or refused. */
	countEvents(outcome: 'accepted' | 'duplicate' | 'refused', count: number): void;
	/** One delivery's attempt. */
	countAttempt(outcome: 'delivered' | 'retried' | 'dead'): void;
	/** The text Prometheus reads. */
	text(state: { backlog: Backlog[]; breakers: ReadonlyMap<string, Breaker> }): Promise<string>;
	contentType: string;
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
	return {
		contentType: registry.contentType,
		countEvents: (outcome, count) => events.inc({ outcome }, count),
		countAttempt: (outcome) => attempts.inc({ outcome }),
		async text({ backlog, breakers }) {
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
			return registry.metrics();
		},
	};
}

/** Age of the oldest pending delivery, 0 when there is none. */
export function oldestAgeMs(backlog: readonly Backlog[], now: number): number {
	const times = backlog.map(({ oldestPendingAt }) => oldestPendingAt ?? now);
	return Math.max(0, now - Math.min(now, ...times));
}

/** The backlog, asked for at most once a second: probes and scrapes must not burden the store. */
export function rememberedBacklog(store: Store, clock: Clock): () => Promise<Backlog[]> {
	let asked = -Infinity;
	let answer: Promise<Backlog[]> = Promise.resolve([]);
	return () => {
		if (clock.now() - asked >= 1_000) {
			asked = clock.now();
			answer = store.backlog();
			answer.catch(() => (asked = -Infinity));
		}
		return answer;
	};
}
