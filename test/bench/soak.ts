// Half load for a long time: does memory grow, does the event loop fall behind, does work pile up?
import { setTimeout as sleep } from 'node:timers/promises';
import type { Round } from './benchmark.ts';
import { chart } from './chart.ts';
import { markdownTable, plainTable, readable } from './figures.ts';
import { DELIVERIES, ingestLoad, withLoad } from './ingest.ts';
import type { Load } from './load.ts';
import { startReceiver } from './receiver.ts';
import type { ReceiverProcess } from './receiver.ts';
import { writePart, writePicture } from './results.ts';
import { startSink } from './sink.ts';
import type { Sink } from './sink.ts';

const SAMPLE_MS = 5_000;
/** Events in one request, as for an n8n that starts about 40 executions a second. */
const BATCH = 50;
const MEASURE_SECONDS = 20;

/** What /metrics says at one time. */
interface Sample {
	/** Minutes since the soak began. */
	minute: number;
	residentMb: number;
	heapMb: number;
	/** The p99 of the event loop's delay since the sample before, in milliseconds. */
	delayMs: number;
	pending: number;
}

/** Reads `15m` or `90s` into seconds. */
export function readDuration(text: string): number {
	const match = /^(\d+)([sm])$/.exec(text);
	if (match === null) throw new Error(`"${text}" is not a time such as 15m or 90s.`);
	return Number(match[1]) * (match[2] === 'm' ? 60 : 1);
}

export async function soak(seconds: number, { short, report }: Round): Promise<void> {
	await withLoad(async (load, started) => {
		const sink = started(await startSink());
		const full = await sustained(load, sink, short ? 2 : MEASURE_SECONDS);
		const rate = Math.round(full / 2);
		report(`takes in and delivers ${readable(full)} events/s; soaks at ${readable(rate)}/s`);

		const receiver = started(await startReceiver());
		await subscribeLive(receiver, sink);
		const samples: Sample[] = [];
		const began = Date.now();
		let over = false;
		const sampling = (async () => {
			while (!over) {
				const sample = await look(receiver, began);
				samples.push(sample);
				report(
					`${sample.minute.toFixed(1)} min: ${readable(sample.residentMb)} MB, heap ${readable(sample.heapMb)} MB, delay p99 ${readable(sample.delayMs)} ms, ${sample.pending} pending`,
				);
				await sleep(Math.min(SAMPLE_MS, seconds * 100));
			}
		})();
		const result = await ingestLoad(load, receiver, seconds, { rate }).finally(() => (over = true));
		await sampling;
		await write(samples, { ...result, rate, seconds }, short);
	});
}

/** Events a second that are taken in and delivered to all subscriptions, none left behind. */
async function sustained(load: Load, sink: Sink, seconds: number): Promise<number> {
	const receiver = await startReceiver();
	try {
		await subscribeLive(receiver, sink);
		const began = performance.now();
		const { events } = await ingestLoad(load, receiver, seconds);
		while ((await look(receiver, 0)).pending > 0) await sleep(1_000);
		return (events * 1000) / (performance.now() - began);
	} finally {
		await receiver.stop();
	}
}

async function subscribeLive(receiver: ReceiverProcess, sink: Sink): Promise<void> {
	for (let n = 0; n < DELIVERIES; n++) {
		await receiver.subscribe(`flow-${n}`, sink.url, { batchSize: BATCH });
	}
}

async function look(receiver: ReceiverProcess, began: number): Promise<Sample> {
	const text = await (await receiver.manage('GET', '/metrics')).text();
	const figures = (name: string) =>
		[...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map((match) =>
			Number(match[1]),
		);
	const sum = (name: string) => figures(name).reduce((all, one) => all + one, 0);
	return {
		minute: (Date.now() - began) / 60_000,
		residentMb: sum('process_resident_memory_bytes') / 2 ** 20,
		heapMb: sum('nodejs_heap_size_used_bytes') / 2 ** 20,
		delayMs: sum('nodejs_eventloop_lag_p99_seconds') * 1000,
		pending: sum('receiver_deliveries'),
	};
}

async function write(
	samples: readonly Sample[],
	run: { rate: number; seconds: number; events: number; p50: number; p99: number },
	short: boolean,
): Promise<void> {
	// The first minute belongs to warming up.
	const settled = samples.filter(({ minute }) => minute >= Math.min(1, run.seconds / 600));
	const of = (read: (sample: Sample) => number, from = settled) => from.map(read);
	const tenth = Math.max(1, Math.floor(settled.length / 10));
	const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
	const early = settled.slice(0, tenth);
	const late = settled.slice(-tenth);
	const table = [
		['', 'begin', 'end', 'highest'],
		...(
			[
				['resident memory, MB', (one: Sample) => one.residentMb],
				['heap in use, MB', (one: Sample) => one.heapMb],
				['event-loop delay p99, ms', (one: Sample) => one.delayMs],
				['deliveries waiting', (one: Sample) => one.pending],
			] as const
		).map(([name, read]) => [
			name,
			readable(mean(of(read, early))),
			readable(mean(of(read, late))),
			readable(Math.max(...of(read))),
		]),
	];
	const told = `${readable(run.seconds / 60)} minutes at ${readable(run.rate)} events/s (half of what it takes in and delivers), ${DELIVERIES} subscriptions in batches of up to ${BATCH}: ${run.events.toLocaleString('en')} events, none refused, answered in ${readable(run.p50)} ms (p50) and ${readable(run.p99)} ms (p99).`;
	console.log(`\n${told}\n\n${plainTable(table)}`);
	if (short) return;
	const line = (name: string, read: (sample: Sample) => number) => ({
		name,
		points: samples.map((sample) => [sample.minute, read(sample)] as const),
	});
	writePicture(
		'soak.svg',
		chart([
			{
				...{ title: 'Memory', xLabel: 'minutes', unit: 'MB' },
				series: [
					line('resident', ({ residentMb }) => residentMb),
					line('heap in use', ({ heapMb }) => heapMb),
				],
			},
			{
				...{ title: 'Event-loop delay (p99 of five seconds)', xLabel: 'minutes', unit: 'ms' },
				series: [line('delay', ({ delayMs }) => delayMs)],
			},
			{
				...{ title: 'Deliveries waiting', xLabel: 'minutes', unit: '' },
				series: [line('waiting', ({ pending }) => pending)],
			},
		]),
	);
	const first = 'Means of the first and the last tenth after the first minute.';
	const picture = '![memory and event-loop delay](soak.svg)';
	await writePart('soak', `${told}\n\n${picture}\n\n${markdownTable(table)}\n\n${first}`);
}
