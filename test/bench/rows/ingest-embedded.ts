import type { Benchmark } from '../benchmark.ts';
import { DELIVERIES, compareIngest, withLoad } from '../ingest.ts';
import { STORELESS } from '../programs.ts';
import { startReceiver, subscribeDeadTargets } from '../receiver.ts';

/** What durability costs with the embedded store. */
export const benchmark: Benchmark = {
	name: 'ingest-embedded',
	measure: (round) =>
		withLoad(async (load, started) => {
			const receiver = started(await startReceiver());
			const storeless = started(await startReceiver({ program: STORELESS }));
			await subscribeDeadTargets(receiver, DELIVERIES);
			const compared = await compareIngest(load, round, {
				ours: { name: 'durable', url: receiver.url },
				theirs: { name: 'storeless', url: storeless.url },
			});
			return [
				{
					name: 'ingest-embedded',
					what: 'durable ingest: HMAC, parsed, committed with fsync, 3 deliveries each, 50 connections',
					against: 'the same app without a store',
					...compared,
					unit: 'events/s',
					must: { kind: 'min', value: 0.5, of: 'ratio' },
					aim: { kind: 'min', value: 0.8, of: 'ratio' },
					note: 'Closed loop, 1 KB an event. The deliveries are committed; their targets are down, so that the way in is measured and not the way out.',
				},
			];
		}),
};
