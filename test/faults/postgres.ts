import { startPostgres } from '../contract/receiver/postgres-server.ts';
import type { PostgresServer } from '../contract/receiver/postgres-server.ts';
import { record } from './figures.ts';
import { ROUNDS, World } from './world.ts';

/** PostgreSQL lets commits wait so long for the disk if it was told not to wait for it. */
const LAZY = { synchronous_commit: 'off', wal_writer_delay: '10s' };

export function postgresFaults() {
	let postgres: PostgresServer;
	beforeAll(async () => {
		// Lazy on purpose: what is acknowledged must be on disk however the server was set up.
		postgres = await startPostgres(LAZY);
	});
	afterAll(() => postgres.stop());

	it('PostgreSQL stopped with -m immediate, again and again, under 300 events a second', async () => {
		const env = { DATABASE_URL: await postgres.freshDatabase() };
		const world = await World.start({ receivers: [env, env] });
		const restarts = 3 * ROUNDS;
		for (let n = 0; n < restarts; n++) {
			await world.flows(200);
			await postgres.kill();
			await world.refuses(2);
			await postgres.start();
		}
		await world.flows();
		record(`PostgreSQL -m immediate × ${restarts}, two receivers`, await world.verdict());
	});
}
