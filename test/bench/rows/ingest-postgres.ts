import { startPostgres } from '../../contract/receiver/postgres-server.ts';
import type { Benchmark } from '../benchmark.ts';
import { compareWithStoreless } from '../durability.ts';
import { withLoad } from '../ingest.ts';

/**
 * Looked after every second instead of every minute. Until a new database is analysed for the first
 * time PostgreSQL knows no better than to walk all that is pending for a target that is down.
 */
const STATISTICS = { autovacuum_naptime: '1s' };

/** What durability costs with PostgreSQL and pg-boss. */
export const benchmark: Benchmark = {
	name: 'ingest-postgres',
	measure: (round) =>
		withLoad(async (load, started) => {
			const postgres = started(await startPostgres(STATISTICS));
			const env = { DATABASE_URL: await postgres.freshDatabase() };
			return [
				{
					name: 'ingest-postgres',
					what: 'the same on PostgreSQL with pg-boss, event and jobs in one transaction',
					against: 'the same app without a store',
					...(await compareWithStoreless(load, started, round, env)),
					unit: 'events/s',
					must: { kind: 'min', value: 0.25, of: 'ratio' },
					aim: { kind: 'min', value: 0.5, of: 'ratio' },
					note: 'PostgreSQL with its default settings, fsync and synchronous_commit included, on the same machine; only its statistics are gathered every second instead of every minute.',
				},
			];
		}),
};
