import type { Benchmark } from '../benchmark.ts';
import { compareWithStoreless } from '../durability.ts';
import { withLoad } from '../ingest.ts';

/** What durability costs with the embedded store. */
export const benchmark: Benchmark = {
	name: 'ingest-embedded',
	measure: (round) =>
		withLoad(async (load, started) => {
			return [
				{
					name: 'ingest-embedded',
					what: 'durable ingest: HMAC, parsed, committed with fsync, 3 consumers that want it, 50 connections',
					against: 'the same app without a store',
					...(await compareWithStoreless(load, started, round)),
					unit: 'events/s',
					must: { kind: 'min', value: 0.6, of: 'ratio' },
					aim: { kind: 'min', value: 0.7, of: 'ratio' },
					note: 'Closed loop, 1 KB an event. The consumers are away, so that the way in is measured and not the way out.',
				},
			];
		}),
};
