import { startPostgres } from '../../contract/receiver/postgres-server.ts';
import { afterRow } from '../clean-up.ts';
import { addConsumers, drain } from '../parts/consumers.ts';
import { fill } from '../parts/load.ts';
import { MANAGEMENT_TOKEN, startReceiver, type ReceiverProcess } from '../parts/receiver.ts';
import { defineRow, type Line } from '../row.ts';

const line = (where: string): Line => ({
	what: `disk for each event of 1 KB, stored and delivered in a batch of its own, ${where}`,
	unit: 'kB',
	goal: 'ours',
	must: 5,
	aim: 3,
});

/** What an event takes on disk as long as it is kept: event, its part of the letter's record, batch and indexes. */
export const storage = defineRow({
	name: 'storage',
	peer: null,
	lines: {
		'storage/embedded': line('embedded store'),
		'storage/postgres': line('PostgreSQL'),
	},
	rounds: 1,

	async start(short) {
		const events = short ? 500 : 60_000;
		const measured = async (receiver: ReceiverProcess) => {
			await addConsumers(receiver, 1);
			const before = await usedBytes(receiver);
			await fill(receiver.url, events);
			await drain([receiver], { consumers: 1, batchSize: 1, atOnce: 50, events });
			return ((await usedBytes(receiver)) - before) / events / 1000;
		};
		const postgres = await startPostgres();
		afterRow(() => postgres.stop());
		const env = { DATABASE_URL: await postgres.freshDatabase() };
		return {
			ours: async () => ({
				'storage/embedded': await measured(await startReceiver()),
				'storage/postgres': await measured(await startReceiver({ env })),
			}),
		};
	},
});

async function usedBytes({ url }: ReceiverProcess): Promise<number> {
	const answer = await fetch(`${url}/metrics`, {
		headers: { authorization: `Bearer ${MANAGEMENT_TOKEN}` },
	});
	const used = /^receiver_store_used_bytes (\S+)$/m.exec(await answer.text())?.[1];
	if (used === undefined) throw new Error('The receiver does not say how much its store takes.');
	return Number(used);
}
