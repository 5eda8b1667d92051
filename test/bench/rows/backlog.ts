import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Benchmark, Round } from '../benchmark.ts';
import { fill } from '../fill.ts';
import { DELIVERIES, ingestLoad, pace, perSecond, withLoad } from '../ingest.ts';
import type { Load } from '../load.ts';
import { NOWHERE, startReceiver } from '../receiver.ts';
import { residentBytes } from '../resident.ts';
import { rounds } from '../rounds.ts';
import { startSink } from '../sink.ts';
import type { Sink } from '../sink.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const CONCURRENCY = 50;

/** Whether a receiver that has kept a million events is as quick as one that has kept a thousand. */
export const benchmark: Benchmark = {
	name: 'backlog',
	measure: (round) =>
		withLoad(async (load, started) => {
			const sink = started(await startSink());
			const many = started(await stored(round.short ? 2 * FEW : MANY, round));
			const memory = { many: [] as number[], few: [] as number[] };

			const ingest = async (side: Stored, name: keyof typeof memory) => {
				const { rate, megabytes } = await ingestAt(side, load, round);
				memory[name].push(megabytes);
				round.report(`${name}: ingest ${perSecond(rate)}, ${Math.round(megabytes)} MB`);
				return rate;
			};
			const deliver = async (side: Stored, name: string) => {
				const rate = await deliverAt(side, sink, round);
				round.report(`${name}: delivers ${perSecond(rate)}`);
				return rate;
			};
			const count = round.short ? 1 : 3;
			const ingested = await rounds(
				count,
				() => ingest(many, 'many'),
				() => withFew(round, (few) => ingest(few, 'few')),
			);
			const delivered = await rounds(
				count,
				() => deliver(many, 'many'),
				() => withFew(round, (few) => deliver(few, 'few')),
			);
			const row = {
				against: `the same at ${FEW.toLocaleString('en')}`,
				must: { kind: 'min', value: 0.8, of: 'ratio' },
				aim: { kind: 'min', value: 0.95, of: 'ratio' },
			} as const;
			const events = MANY.toLocaleString('en');
			const within64 = { kind: 'max', value: 64, of: 'ours' } as const;
			return [
				{
					...row,
					name: 'backlog/ingest',
					what: `durable ingest with ${events} stored events and ${DELIVERIES} settled deliveries of each`,
					...ingested,
					unit: 'events/s',
				},
				{
					...row,
					name: 'backlog/delivery',
					what: `signed deliveries with ${events} stored events`,
					...delivered,
					unit: 'requests/s',
				},
				{
					name: 'backlog/memory',
					what: `memory at ${events} stored events over that at ${FEW.toLocaleString('en')}, after ingest`,
					against: null,
					ours: Math.max(...memory.many) - Math.max(...memory.few),
					theirs: null,
					unit: 'MB',
					ratio: null,
					must: within64,
					aim: within64,
					note: `${Math.round(Math.max(...memory.many))} MB against ${Math.round(Math.max(...memory.few))} MB, the highest of all rounds.`,
				},
			];
		}),
};

interface Stored {
	folder: string;
	file: string;
	stop(): Promise<void>;
}

async function stored(events: number, { report }: Round): Promise<Stored> {
	const folder = mkdtempSync(join(tmpdir(), 'bench-backlog-'));
	const file = join(folder, 'receiver.sqlite');
	const stop = async () => rmSync(folder, { recursive: true, force: true });
	try {
		const began = performance.now();
		const filling = { target: NOWHERE, subscriptions: DELIVERIES, state: 'delivered' } as const;
		await fill(file, { ...filling, events });
		const seconds = ((performance.now() - began) / 1000).toFixed(1);
		report(`${events.toLocaleString('en')} events stored in ${seconds} s`);
		return { folder, file, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** A thousand events are soon many more, so each round begins with a new file. */
async function withFew<T>(round: Round, work: (few: Stored) => Promise<T>): Promise<T> {
	const few = await stored(FEW, round);
	try {
		return await work(few);
	} finally {
		await few.stop();
	}
}

/** The way in, to targets that are down. */
async function ingestAt({ file, folder }: Stored, load: Load, { short }: Round) {
	const { seconds } = pace(short);
	const receiver = await startReceiver({ folder });
	try {
		await ingestLoad(load, receiver, seconds / 4);
		const { perSecond: rate } = await ingestLoad(load, receiver, seconds);
		return { rate, megabytes: residentBytes(receiver.pid) / 2 ** 20 };
	} finally {
		await receiver.stop();
		settleAll(file);
	}
}

/** The way out, of events that were taken in before it started. */
async function deliverAt({ file, folder }: Stored, sink: Sink, { short }: Round) {
	const events = short ? 300 : 10_000;
	const warmUp = events / 5;
	await sink.reset(warmUp);
	await fill(file, { events, subscriptions: 1, target: sink.url, state: 'pending' });
	const env = { DELIVERY_CONCURRENCY: String(CONCURRENCY) };
	const receiver = await startReceiver({ folder, env });
	try {
		const { milliseconds } = await sink.until(events);
		return ((events - warmUp) * 1000) / milliseconds;
	} finally {
		await receiver.stop();
	}
}

/** What one round left pending is not to be delivered in the next. */
function settleAll(file: string): void {
	const database = new DatabaseSync(file);
	database.exec("UPDATE deliveries SET state = 'delivered' WHERE state = 'pending'");
	database.close();
}
