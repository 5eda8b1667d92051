import { Router } from 'express';
import { Gauge, collectDefaultMetrics } from 'prom-client';
import type { Capability, Figures, Kernel } from '../../capability.ts';
import type { ConsumerView } from '../../core/pull-contract.ts';
import type { StoreSpace } from '../../sql/engine.ts';
import type { Clock } from '../../time/clock.ts';

/** Scrapes must not burden the database: its answers are cached this long. */
const CACHED_MS = 1_000;

/** A consumer not pulled for longer than this may be gone for good: its backlog raises no alarm. */
const ATTENDED_MS = 3_600_000;

/** `GET /metrics`, for Prometheus. */
export const metrics: Capability = {
	name: 'metrics',
	start(kernel) {
		const { registry, clock, pulls } = kernel;
		collectDefaultMetrics({ register: registry });
		const read = cached(() => gaugesOf(kernel), clock);
		const gauges = new Map<string, Gauge>();
		const router = Router();

		router.get('/metrics', async (_request, response) => {
			const open = ['pulls_open', 'Pulls that wait for an event', pulls.open.count] as const;
			const all = [...(await read()), open];
			for (const gauge of gauges.values()) gauge.reset();
			for (const [name, help, value, labels = {}] of all) {
				const labelNames = Object.keys(labels);
				const made = { registers: [registry], name: `receiver_${name}`, help, labelNames };
				const gauge = gauges.get(name) ?? new Gauge(made);
				gauges.set(name, gauge);
				if (value === null) gauge.remove(labels);
				else gauge.set(labels, value);
			}
			response.type(registry.contentType).send(await registry.metrics());
		});

		return { publicRoutes: router };
	},
};

type Gauges = NonNullable<Figures['gauges']>;

async function gaugesOf({ clock, consumers, database, capabilities }: Kernel): Promise<Gauges> {
	const now = clock.now();
	const [all, space, ...figures] = await Promise.all([
		consumers.list(now),
		database.space(),
		...capabilities.map((one) => one.figures?.(now)),
	] as const);
	return [
		...consumerGauges(all),
		[
			'oldest_waiting_seconds',
			'Age of the oldest event that an n8n active within the last hour has yet to finish; 0 for none',
			oldestWaitingMs(all, now) / 1000,
		],
		...spaceGauges(space),
		...figures.flatMap((one) => one?.gauges ?? []),
	];
}

function consumerGauges(all: readonly ConsumerView[]): Gauges {
	const of = (
		name: string,
		help: string,
		read: (one: ConsumerView) => number,
	): Array<Gauges[number]> => {
		const values = all.map((one) => [name, help, read(one), { consumer: one.key }] as const);
		// Known also while there is none.
		return values.length > 0 ? values : [[name, help, null, { consumer: '' }]];
	};
	return [
		...of(
			'consumer_behind',
			'Events the consumer has not reached, wanted or not',
			(one) => one.behind,
		),
		...of('consumer_in_hand', 'Batches that n8n has in hand', (one) => one.inHand),
		...of('consumer_dead', 'Batches that n8n refused for good', (one) => one.dead),
		...of('consumer_held', '1 while an n8n holds the consumer', (one) => Number(one.held)),
	];
}

function spaceGauges({ used, free }: StoreSpace): Gauges {
	return [
		['store_used_bytes', 'What the store takes on disk', used],
		[
			'store_free_bytes',
			'What is left on the volume of DATABASE_FILE; none with PostgreSQL, which has its own',
			free,
		],
	];
}

/** Age of the oldest event waiting for an n8n that pulls, or did within the hour; 0 if none. */
function oldestWaitingMs(consumers: readonly ConsumerView[], now: number): number {
	const times = consumers
		.filter(({ held, pulledAt }) => held || now - Date.parse(pulledAt) <= ATTENDED_MS)
		.map(({ oldestAt }) => (oldestAt === null ? now : Date.parse(oldestAt)));
	return Math.max(0, now - Math.min(now, ...times));
}

function cached<T>(ask: () => Promise<T>, clock: Clock): () => Promise<T> {
	let readAt = -Infinity;
	let answer: Promise<T>;
	return () => {
		if (clock.elapsed() - readAt >= CACHED_MS) {
			readAt = clock.elapsed();
			answer = ask();
			answer.catch(() => (readAt = -Infinity));
		}
		return answer;
	};
}
