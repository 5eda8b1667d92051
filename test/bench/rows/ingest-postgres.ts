import { startPostgres } from '../../contract/receiver/postgres-server.ts';
import type { Benchmark } from '../benchmark.ts';
import { compareWithStoreless } from '../durability.ts';
import { withLoad } from '../ingest.ts';

/** What durability costs with PostgreSQL. */
export const benchmark: Benchmark = {
	name: 'ingest-postgres',
	measure: (round) =>
		withLoad(async (load, started) => {
			const postgres = started(await startPostgres());
			const env = { DATABASE_URL: await postgres.freshDatabase() };
			return [
				{
					name: 'ingest-postgres',
					what: 'the same on PostgreSQL',
					against: 'the same app without a store',
					...(await compareWithStoreless(load, started, round, env)),
					unit: 'events/s',
					must: { kind: 'min', value: 0.3, of: 'ratio' },
					aim: { kind: 'min', value: 0.5, of: 'ratio' },
					note: 'PostgreSQL with its default settings, fsync and synchronous_commit included, on the same machine.',
				},
			];
		}),
};
