import type { Benchmark } from '../benchmark.ts';
import { compareIngest, withLoad } from '../ingest.ts';
import { addConsumers, startReceiver } from '../receiver.ts';

const MANY = 1_000;

/** An event is written once, whoever wants it: what a thousand consumers cost the way in. */
export const benchmark: Benchmark = {
	name: 'consumers',
	measure: (round) =>
		withLoad(async (load, started) => {
			const many = started(await startReceiver());
			const one = started(await startReceiver());
			await addConsumers(many, round.short ? 20 : MANY);
			await addConsumers(one, 1);
			const count = MANY.toLocaleString('en');
			return [
				{
					name: 'consumers',
					what: `durable ingest with ${count} consumers that all want each event`,
					against: 'the same with one consumer',
					...(await compareIngest(load, round, {
						ours: { name: `${count} consumers`, url: many.url },
						theirs: { name: 'one consumer', url: one.url },
					})),
					unit: 'events/s',
					must: { kind: 'min', value: 1 / 1.3, of: 'ratio' },
					aim: { kind: 'min', value: 0.95, of: 'ratio' },
				},
			];
		}),
};
