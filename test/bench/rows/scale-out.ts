import { startPostgres } from '../../contract/receiver/postgres-server.ts';
import { afterRow } from '../clean-up.ts';
import { addConsumers, drain } from '../parts/consumers.ts';
import { fill } from '../parts/load.ts';
import { startReceiver } from '../parts/receiver.ts';
import { defineRow } from '../row.ts';

/** Whether consumers progress as fast with a large backlog as with a small one. */
export const scaleOut = defineRow({
	name: 'scale-out',
	peer: 'the same with 10,000 waiting',
	lines: {
		'scale-out': {
			what: 'events pulled and acknowledged by 10 consumers at two receivers on one PostgreSQL, 100,000 waiting for each, 50 a batch',
			unit: 'events/s',
			goal: 'ratio',
			must: 0.8,
			aim: 0.95,
		},
	},
	rounds: 2,

	async start(short) {
		const postgres = await startPostgres();
		afterRow(() => postgres.stop());
		const drained = (events: number) => async () => {
			const env = { DATABASE_URL: await postgres.freshDatabase() };
			const pair = [await startReceiver(env), await startReceiver(env)];
			await addConsumers(pair[0], 10);
			await Promise.all(pair.map(({ url }) => fill(url, events / pair.length)));
			const rate = await drain(pair, { consumers: 10, batchSize: 50, atOnce: 5, events });
			for (const one of pair) await one.stop();
			return { 'scale-out': rate };
		};
		return { ours: drained(short ? 1_000 : 100_000), theirs: drained(short ? 200 : 10_000) };
	},
});
