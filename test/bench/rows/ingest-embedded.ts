import type { Benchmark } from '../benchmark.ts';
import { DELIVERIES, ingestLoad, pace, perSecond, withLoad } from '../ingest.ts';
import { STORELESS } from '../programs.ts';
import { startReceiver, subscribeDeadTargets } from '../receiver.ts';
import { rounds } from '../rounds.ts';

export const benchmark: Benchmark = {
	name: 'ingest-embedded',
	measure: ({ short, report }) =>
		withLoad(async (load, started) => {
			const { warmUp, seconds, count } = pace(short);
			const receiver = started(await startReceiver());
			const storeless = started(await startReceiver({ program: STORELESS }));
			await subscribeDeadTargets(receiver, DELIVERIES);
			const measured = (one: { url: string }, name: string) => async () => {
				const result = await ingestLoad(load, one, seconds);
				report(`${name} ${perSecond(result.perSecond)}, load on ${result.cpu.toFixed(2)} cores`);
				return result.perSecond;
			};
			for (const one of [receiver, storeless]) await ingestLoad(load, one, warmUp);
			const compared = await rounds(
				count,
				measured(receiver, 'durable'),
				measured(storeless, 'storeless'),
			);
			return [
				{
					name: 'ingest-embedded',
					what: 'durable ingest: HMAC, parsed, committed with fsync, 3 deliveries each, 50 connections',
					against: 'the same app without a store',
					...compared,
					unit: 'events/s',
					must: { kind: 'min', value: 0.5, of: 'ratio' },
					aim: { kind: 'min', value: 0.8, of: 'ratio' },
				},
			];
		}),
};
