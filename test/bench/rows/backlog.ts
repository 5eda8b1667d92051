import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, Round } from '../benchmark.ts';
import { fill } from '../fill.ts';
import { CONSUMERS, ingestLoad, pace, perSecond, withLoad } from '../ingest.ts';
import { startPuller } from '../puller.ts';
import { addConsumers, MANAGEMENT_TOKEN, startReceiver } from '../receiver.ts';
import type { ReceiverProcess } from '../receiver.ts';
import { residentBytes } from '../resident.ts';
import { rounds } from '../rounds.ts';

const FEW = 1_000;
const MANY = 1_000_000;
/** What one consumer has in hand at once. */
const AT_ONCE = 50;

/** Whether a receiver that has kept a million events is as quick as one that has kept a thousand. */
export const benchmark: Benchmark = {
	name: 'backlog',
	measure: (round) =>
		withLoad(async (load) => {
			const memory = { many: [] as number[], few: [] as number[] };
			const ingest = (name: keyof typeof memory) => () =>
				withStored(name, round, async (receiver) => {
					const { seconds } = pace(round.short);
					await addConsumers(receiver, CONSUMERS);
					await ingestLoad(load, receiver, seconds / 4);
					const { perSecond: rate } = await ingestLoad(load, receiver, seconds);
					const megabytes = residentBytes(receiver.pid) / 2 ** 20;
					memory[name].push(megabytes);
					round.report(`${name}: ingest ${perSecond(rate)}, ${Math.round(megabytes)} MB`);
					return rate;
				});
			const pull = (name: keyof typeof memory) => () =>
				withStored(name, round, async (receiver) => {
					await addConsumers(receiver, 1);
					const { events } = await ingestLoad(load, receiver, round.short ? 0.5 : 4);
					const puller = startPuller();
					try {
						const { events: counted, milliseconds } = await puller.drain({
							...{ urls: [receiver.url], token: MANAGEMENT_TOKEN, consumers: 1 },
							...{ batchSize: 1, atOnce: AT_ONCE, events, warmUp: events / 5 },
						});
						const rate = (counted * 1_000) / milliseconds;
						round.report(`${name}: pulled ${perSecond(rate)}`);
						return rate;
					} finally {
						await puller.stop();
					}
				});
			const count = round.short ? 1 : 3;
			const ingested = await rounds(count, ingest('many'), ingest('few'));
			const pulled = await rounds(count, pull('many'), pull('few'));
			const row = {
				against: `the same at ${FEW.toLocaleString('en')}`,
				unit: 'events/s',
				must: { kind: 'min', value: 0.8, of: 'ratio' },
				aim: { kind: 'min', value: 0.95, of: 'ratio' },
			} as const;
			const events = MANY.toLocaleString('en');
			const within64 = { kind: 'max', value: 64, of: 'ours' } as const;
			const [most, least] = [Math.max(...memory.many), Math.max(...memory.few)];
			return [
				{
					...{ ...row, name: 'backlog/ingest', ...ingested },
					what: `durable ingest with ${events} stored events`,
				},
				{
					...{ ...row, name: 'backlog/pull', ...pulled },
					what: `events pulled one a batch, ${AT_ONCE} at once, each acknowledged, with ${events} stored events`,
				},
				{
					name: 'backlog/memory',
					what: `memory at ${events} stored events over that at ${FEW.toLocaleString('en')}, after ingest`,
					...{ against: null, ours: most - least, theirs: null, unit: 'MB', ratio: null },
					...{ must: within64, aim: within64 },
					note: `${Math.round(most)} MB against ${Math.round(least)} MB, the highest of all rounds.`,
				},
			];
		}),
};

/** A receiver of its own for each round: a thousand events are soon many more. */
async function withStored<T>(
	name: 'many' | 'few',
	{ short }: Round,
	work: (receiver: ReceiverProcess) => Promise<T>,
): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), 'bench-backlog-'));
	try {
		const events = name === 'few' ? FEW : short ? 2 * FEW : MANY;
		await fill(join(folder, 'receiver.sqlite'), events);
		const receiver = await startReceiver({ folder });
		try {
			return await work(receiver);
		} finally {
			await receiver.stop();
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
