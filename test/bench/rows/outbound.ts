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

export const benchmark: Benchmark = {
	name: 'outbound',
	measure: ({ short, report }) =>
		withLoad(async (_load, started) => {
			const deliveries = short ? 500 : 20_000;
			// Code is compiled while it runs: the first ones do not count.
			const warmUp = deliveries / 5;
			const sink = started(await startSink());
			const poster = started(startPoster());
			let bytes = 0;

			const measured = async (name: string, work: () => Promise<void>) => {
				await sink.reset(warmUp);
				await work();
				const { milliseconds, bytes: sent } = await sink.arrivals();
				bytes = sent / deliveries;
				const rate = ((deliveries - warmUp) * 1000) / milliseconds;
				report(`${name} ${perSecond(rate)}, ${Math.round(bytes)} bytes each`);
				return rate;
			};
			const ours = () =>
				measured('signed deliveries', async () => {
					const folder = mkdtempSync(join(tmpdir(), 'bench-outbound-'));
					const filling = { target: sink.url, subscriptions: 1, state: 'pending' } as const;
					await fill(join(folder, 'receiver.sqlite'), { ...filling, events: deliveries });
					const env = { DELIVERY_CONCURRENCY: String(CONCURRENCY) };
					const receiver = await startReceiver({ folder, env });
					try {
						await sink.until(deliveries);
					} finally {
						await receiver.stop();
						rmSync(folder, { recursive: true, force: true });
					}
				});
			const theirs = () =>
				measured('bare undici', async () => {
					const body = 'x'.repeat(Math.round(bytes));
					const order = { body, requests: deliveries, concurrency: CONCURRENCY };
					await poster.post({ url: sink.url, ...order });
				});
			return [
				{
					name: 'outbound',
					what: `signed deliveries, one event each, ${CONCURRENCY} under way at once, outcomes committed`,
					against: 'bare undici, the same bodies to the same target',
					...(await rounds(short ? 1 : 3, ours, theirs)),
					unit: 'requests/s',
					must: { kind: 'min', value: 0.6, of: 'ratio' },
					aim: { kind: 'min', value: 0.8, of: 'ratio' },
				},
			];
		}),
};
