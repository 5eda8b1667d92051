import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { fill } from '../fill.ts';
import { perSecond, withLoad } from '../ingest.ts';
import { startPoster } from '../poster.ts';
import { startReceiver } from '../receiver.ts';
import { rounds } from '../rounds.ts';
import { startSink } from '../sink.ts';

/** Requests under way at once; of the receiver's, each is signed and its outcome committed. */
const CONCURRENCY = 50;

/** What a busy flow sets as its events for each execution. */
const BATCH = 10;

export const benchmark: Benchmark = {
	name: 'outbound',
	measure: ({ short, report }) =>
		withLoad(async (_load, started) => {
			const deliveries = short ? 500 : 50_000;
			const sink = started(await startSink());
			/** Of a request with one event. */
			let bytes = 0;

			/** Deliveries a second; code is compiled while it runs, so the first requests do not count. */
			const measured = async (name: string, batchSize: number, work: () => Promise<void>) => {
				const requests = deliveries / batchSize;
				const warmUp = requests / 5;
				await sink.reset(warmUp);
				await work();
				const { milliseconds, bytes: sent } = await sink.arrivals();
				if (batchSize === 1) bytes = sent / requests;
				const rate = ((requests - warmUp) * batchSize * 1000) / milliseconds;
				report(`${name} ${perSecond(rate)}, ${Math.round(sent / requests)} bytes a request`);
				return rate;
			};
			const ours = (batchSize: number) => () =>
				measured(`signed deliveries, ${batchSize} a request:`, batchSize, async () => {
					const folder = mkdtempSync(join(tmpdir(), 'bench-outbound-'));
					const filling = {
						target: sink.url,
						subscriptions: 1,
						batchSize,
						state: 'pending',
					} as const;
					await fill(join(folder, 'receiver.sqlite'), { ...filling, events: deliveries });
					const env = { DELIVERY_CONCURRENCY: String(CONCURRENCY) };
					const receiver = await startReceiver({ folder, env });
					try {
						await sink.until(deliveries / batchSize);
					} finally {
						await receiver.stop();
						rmSync(folder, { recursive: true, force: true });
					}
				});
			const theirs = () =>
				measured('bare undici', 1, async () => {
					const body = 'x'.repeat(Math.round(bytes));
					const order = { body, requests: deliveries, concurrency: CONCURRENCY };
					// A fresh process each round, as the receiver is: code gets faster while it runs.
					const poster = startPoster();
					try {
						await poster.post({ url: sink.url, ...order });
					} finally {
						await poster.stop();
					}
				});
			const count = short ? 1 : 3;
			const row = {
				against: 'bare undici, one event a request, the same bodies to the same target',
				unit: 'deliveries/s',
				must: { kind: 'min', value: 0.6, of: 'ratio' },
				aim: { kind: 'min', value: 0.8, of: 'ratio' },
			} as const;
			return [
				{
					name: 'outbound',
					what: `signed deliveries, one event each, ${CONCURRENCY} under way at once, outcomes committed`,
					...(await rounds(count, ours(1), theirs)),
					...row,
				},
				{
					name: 'outbound/batches',
					what: `the same, ${BATCH} events a request`,
					...(await rounds(count, ours(BATCH), theirs)),
					...row,
				},
			];
		}),
};
