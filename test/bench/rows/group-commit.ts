import type { Benchmark, Measurement } from '../benchmark.ts';
import { CONNECTIONS, CONSUMERS, compareIngest, withLoad } from '../ingest.ts';
import { ONE_COMMIT_EACH } from '../programs.ts';
import { addConsumers, startReceiver } from '../receiver.ts';

/** What it gains to commit together what arrives together, and whether it costs who comes alone. */
export const benchmark: Benchmark = {
	name: 'group-commit',
	measure: (round) =>
		withLoad(async (load, started) => {
			const grouped = started(await startReceiver());
			const single = started(await startReceiver({ program: ONE_COMMIT_EACH }));
			for (const one of [grouped, single]) await addConsumers(one, CONSUMERS);
			const sides = {
				ours: { name: 'group commit', url: grouped.url },
				theirs: { name: 'a commit each', url: single.url },
			};
			const row = { against: 'one commit per request, same store', unit: 'events/s' };
			const many = await compareIngest(load, round, sides);
			const one = await compareIngest(load, round, sides, { connections: 1 });
			const result: Measurement[] = [
				{
					...row,
					name: 'group-commit',
					what: `ingest with group commit, ${CONNECTIONS} connections`,
					...many,
					must: { kind: 'min', value: 3, of: 'ratio' },
					aim: { kind: 'min', value: 4, of: 'ratio' },
				},
				{
					...row,
					name: 'group-commit/alone',
					what: 'the same with 1 connection, where there is nothing to group',
					...one,
					must: { kind: 'min', value: 0.95, of: 'ratio' },
					aim: { kind: 'min', value: 0.95, of: 'ratio' },
					note: '“Not slower”: both do the same then, so 0.95 leaves room for the noise of the machine and no more.',
				},
			];
			return result;
		}),
};
