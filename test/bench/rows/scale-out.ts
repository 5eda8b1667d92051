import { startPostgres } from '../../contract/receiver/postgres-server.ts';
import type { Benchmark } from '../benchmark.ts';
import { ingestLoad, perSecond, withLoad } from '../ingest.ts';
import { startPuller } from '../puller.ts';
import { addConsumers, MANAGEMENT_TOKEN, startReceiver } from '../receiver.ts';
import { rounds } from '../rounds.ts';

const CONSUMERS = 10;
const FEW = 10_000;
const MANY = 100_000;
const BATCH = 50;
const AT_ONCE = 5;

/** Whether consumers get on as fast with much waiting for them as with little. */
export const benchmark: Benchmark = {
	name: 'scale-out',
	measure: ({ short, report }) =>
		withLoad(async (load, started) => {
			const postgres = started(await startPostgres());
			const drained = (waiting: number) => async () => {
				const env = { DATABASE_URL: await postgres.freshDatabase() };
				const pair = [await startReceiver({ env }), await startReceiver({ env })];
				const puller = startPuller();
				try {
					await addConsumers(pair[0], CONSUMERS);
					let events = 0;
					while (events < waiting) {
						events += (await ingestLoad(load, pair[events % 2], short ? 0.2 : 2)).events;
					}
					const { events: counted, milliseconds } = await puller.drain({
						urls: pair.map(({ url }) => url),
						...{ token: MANAGEMENT_TOKEN, consumers: CONSUMERS, batchSize: BATCH, atOnce: AT_ONCE },
						...{ events, warmUp: events },
					});
					const rate = (counted * 1_000) / milliseconds;
					report(`${events.toLocaleString('en')} waiting: ${perSecond(rate)}`);
					return rate;
				} finally {
					await puller.stop();
					for (const one of pair) await one.stop();
				}
			};
			const [many, few] = short ? [400, 100] : [MANY, FEW];
			return [
				{
					name: 'scale-out',
					what: `events pulled and acknowledged by ${CONSUMERS} consumers at two receivers on one PostgreSQL, ${MANY.toLocaleString('en')} waiting for each, ${BATCH} a batch`,
					against: `the same with ${FEW.toLocaleString('en')} waiting`,
					...(await rounds(short ? 1 : 3, drained(many), drained(few))),
					unit: 'events/s',
					must: { kind: 'min', value: 0.8, of: 'ratio' },
					aim: { kind: 'min', value: 0.95, of: 'ratio' },
				},
			];
		}),
};
