import type { Benchmark } from '../benchmark.ts';
import { CONNECTIONS, CONSUMERS, ingestLoad, pace, perSecond, withLoad } from '../ingest.ts';
import { addConsumers, startReceiver } from '../receiver.ts';
import { median, repeated } from '../rounds.ts';

/** How long the service waits for its 200, which stands for a commit. */
export const benchmark: Benchmark = {
	name: 'ingest-p99',
	measure: ({ short, report }) =>
		withLoad(async (load, started) => {
			const { warmUp, seconds, count } = pace(short);
			const receiver = started(await startReceiver());
			await addConsumers(receiver, CONSUMERS);
			await ingestLoad(load, receiver, warmUp);
			const rates: number[] = [];
			const ours = await repeated(count, async () => {
				const { p50, p99, perSecond: rate } = await ingestLoad(load, receiver, seconds);
				report(`p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms at ${perSecond(rate)}`);
				rates.push(rate);
				return p99;
			});
			const rate = median(rates) / 2;
			const half = await repeated(count, async () => {
				const { p50, p99 } = await ingestLoad(load, receiver, seconds, { rate });
				report(`half of it: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
				return p99;
			});
			return [
				{
					name: 'ingest-p99',
					what: `p99 of an acknowledged event at ${CONNECTIONS} connections, as many events as it takes`,
					against: null,
					ours,
					theirs: null,
					unit: 'ms',
					ratio: null,
					must: { kind: 'max', value: 25, of: 'ours' },
					aim: { kind: 'max', value: 10, of: 'ours' },
					note: `Closed loop, so at the limit of what it takes. At half of that, ${perSecond(rate)} spread evenly (open loop), the p99 is ${half.toFixed(1)} ms.`,
				},
			];
		}),
};
