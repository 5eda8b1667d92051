import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { BatchSettlement, ConsumerView } from '../core/pull-contract.ts';
import type { WatchFigures } from '../watch/watches.ts';
import type { AlertRecord } from '../attention/record.ts';
import { ALERTS } from '../attention/attention.ts';
import type { snapshotOf } from './attend.ts';

export type Metrics = ReturnType<typeof createMetrics>;

export interface MetricsState extends Awaited<ReturnType<typeof snapshotOf>> {
	pullsHeld: number;
	/** What needs an operator now, and what was lost recently. */
	alerts: readonly AlertRecord[];
}

type Figure<State, Value = number> = [name: string, help: string, read: (state: State) => Value];

/** For each consumer. */
const CONSUMER_FIGURES: Array<Figure<ConsumerView>> = [
	['consumer_behind', 'Events the consumer has not reached, wanted or not', (one) => one.behind],
	['consumer_in_hand', 'Batches that n8n has in hand', (one) => one.inHand],
	['consumer_dead', 'Batches that n8n refused for good', (one) => one.dead],
	['consumer_held', '1 while an n8n holds the consumer', (one) => Number(one.held)],
];

const FIGURES: Array<Figure<MetricsState, number | null>> = [
	[
		'oldest_waiting_seconds',
		'Age of the oldest event that an n8n active within the last hour has yet to finish; 0 for none',
		({ consumers, at }) => oldestWaitingMs(consumers, at) / 1000,
	],
	['wake_ups_dead', 'Wake-ups that were given up', ({ deadWakeUps }) => deadWakeUps],
	[
		'claims_unknown',
		'Send Once Keys whose letter may or may not have been sent',
		({ unknownClaims }) => unknownClaims,
	],
	['pulls_held', 'Pulls that wait for an event', ({ pullsHeld }) => pullsHeld],
	['watched_letters', 'Letters that are watched', ({ watching }) => watching.watched],
	[
		'watched_lists',
		'Lists that are watched: consents, customers',
		({ watching }) => watching.lists.length,
	],
	[
		'watch_overdue_seconds',
		'How late the most urgent poll is; 0 when none is',
		({ watching, at }) => overdueMs(watching, at) / 1000,
	],
	[
		'watch_held',
		'1 while the delivery service refuses polls, asks to wait, or does not answer',
		({ watching }) => Number(watching.problem !== null),
	],
	['store_used_bytes', 'What the store takes on disk', ({ space }) => space.used],
	[
		'store_free_bytes',
		'What is left on the volume of DATABASE_FILE; none with PostgreSQL, which has its own',
		({ space }) => space.free,
	],
];

const POLL_RESULTS = [
	'status',
	'message-not-found',
	'list-page',
	'resellers-only',
	'refused',
	'busy',
	'failed',
] as const;

/** Metrics for Prometheus; each receiver has its own registry. */
export function createMetrics() {
	const registry = new Registry();
	const registers = [registry];
	collectDefaultMetrics({ register: registry });
	/** With its labels from the start: `increase()` does not see a series that begins above 0. */
	const counter = <Value extends string>(
		name: string,
		help: string,
		label: string,
		values: readonly Value[],
	) => {
		const labelNames = [label];
		const counted = new Counter({ registers, name: `receiver_${name}_total`, help, labelNames });
		for (const value of values) counted.inc({ [label]: value }, 0);
		return (value: Value, count = 1) => counted.inc({ [label]: value }, count);
	};
	const total = (name: string, help: string) => {
		const counted = new Counter({ registers, name: `receiver_${name}_total`, help });
		return (count: number) => counted.inc(count);
	};
	const gauges = <State, Value>(figures: Array<Figure<State, Value>>, ...labelNames: string[]) =>
		figures.map(([name, help, read]) => {
			const gauge = new Gauge({ registers, name: `receiver_${name}`, help, labelNames });
			return { gauge, read };
		});

	const batches = (name: string, help: string) => {
		const count = counter(name, help, 'outcome', ['handed-out', 'ack', 'nak', 'dead']);
		return (outcome: 'handed-out' | BatchSettlement['outcome'], times: number): void => {
			if (outcome !== 'inProgress') count(outcome === 'term' ? 'dead' : outcome, times);
		};
	};
	const perConsumer = gauges(CONSUMER_FIGURES, 'consumer');
	const overall = gauges(FIGURES);
	const attention = new Gauge({
		registers,
		name: 'receiver_attention',
		labelNames: ['kind'],
		help: 'How often something needs a person now, or was lost within the last day',
	});

	return {
		contentType: registry.contentType,
		countEvents: counter('events', 'Events accepted or duplicate, requests refused', 'outcome', [
			'accepted',
			'duplicate',
			'refused',
		]),
		countBatches: batches('batches', 'Batches handed out, then ack, nak (again) or dead'),
		countWakeUps: batches(
			'wake_ups',
			'Wake-ups handed out, then ack (n8n has them), nak (again) or dead (given up)',
		),
		countPoll: counter(
			'watch_polls',
			`Polls of letters and lists: ${POLL_RESULTS.slice(0, -1).join(', ')} or ${POLL_RESULTS.at(-1)}`,
			'result',
			POLL_RESULTS,
		),
		countWatched: total('watch_events', 'Events made from polls'),
		countErased: total('erased', 'Letters erased'),
		/** The text that Prometheus scrapes. */
		text(state: MetricsState): Promise<string> {
			for (const { gauge, read } of perConsumer) {
				gauge.reset();
				for (const one of state.consumers) gauge.set({ consumer: one.key }, read(one));
			}
			for (const { gauge, read } of overall) {
				const value = read(state);
				if (value === null) gauge.remove();
				else gauge.set(value);
			}
			for (const kind of ALERTS) {
				attention.set({ kind }, state.alerts.filter((one) => one.kind === kind).length);
			}
			return registry.metrics();
		},
	};
}

/** A consumer not pulled for longer than this may be gone for good: its backlog raises no alarm. */
const ATTENDED_MS = 3_600_000;

/** Age of the oldest event waiting for an n8n that pulls, or did within the hour; 0 if none. */
function oldestWaitingMs(consumers: readonly ConsumerView[], now: number): number {
	const times = consumers
		.filter(({ held, pulledAt }) => held || now - Date.parse(pulledAt) <= ATTENDED_MS)
		.map(({ oldestAt }) => (oldestAt === null ? now : Date.parse(oldestAt)));
	return Math.max(0, now - Math.min(now, ...times));
}

/** How overdue the most urgent poll is; 0 if none is. */
function overdueMs({ nextPollAt }: WatchFigures, now: number): number {
	return nextPollAt === null ? 0 : Math.max(0, now - nextPollAt);
}
