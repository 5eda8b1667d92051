import { start, target, temporaryFolder, until } from '../contract/receiver/harness.ts';
import { query, startPostgres } from '../contract/receiver/postgres-server.ts';
import type { PostgresServer } from '../contract/receiver/postgres-server.ts';
import { startProcess } from '../contract/receiver/process.ts';
import { record } from './figures.ts';

export function postgresFaults() {
	let postgres: PostgresServer;
	beforeAll(async () => {
		postgres = await startPostgres();
	});
	afterAll(() => postgres.stop());

	it('PostgreSQL restarted under load: no acknowledged event lost, all delivered', async () => {
		const url = await postgres.freshDatabase();
		const receiver = await start({ env: { DATABASE_URL: url, RETRY_DELAYS: '1s,1s,1s,1s,1s' } });
		const there = await target();
		await receiver.subscribe('flow', there.url);
		const acknowledged = new Set<string>();
		const statuses = new Map<number, number>();
		let isOver = false;
		const worker = async (lane: number) => {
			for (let n = 0; !isOver; n++) {
				const id = `e-${lane}-${n}`;
				const { status } = await receiver.emit({ id, event: 'aes_sent', messageId: lane + 1 });
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
				if (status === 200) acknowledged.add(id);
				else await new Promise((resolve) => setTimeout(resolve, 50));
			}
		};
		const load = Promise.all(Array.from({ length: 8 }, (_, lane) => worker(lane)));
		await until(() => acknowledged.size > 100, 'the load is on');
		await postgres.kill();
		await until(() => (statuses.get(503) ?? 0) > 8, 'it is noticed');
		const before = acknowledged.size;
		await postgres.start();
		await until(() => acknowledged.size > before + 100, 'it goes on without a restart');
		isOver = true;
		await load;
		expect([...statuses.keys()].sort()).toEqual([200, 503]);
		const rows = await query(url, 'SELECT event FROM registered_delivery.events');
		const kept = rows.map(({ event }) => JSON.parse(event as string).raw.id as string);
		expect(kept).toHaveLength(new Set(kept).size);
		const lost = [...acknowledged].filter((id) => !kept.includes(id));
		expect(lost).toEqual([]);
		const arrived = () => new Set(there.events().map(({ raw }) => (raw as { id: string }).id));
		const deadline = Date.now() + 45_000;
		while (arrived().size < kept.length && Date.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, 200));
		}
		expect(arrived().size).toBe(kept.length);
		const figure = `${lost.length} of ${acknowledged.size} lost, ${statuses.get(503)} × 503, all delivered`;
		record('PostgreSQL killed and restarted under load', figure);
	});

	it('one of two receivers killed in mid-delivery: the other takes over, in order', async () => {
		const DATABASE_URL = await postgres.freshDatabase();
		const env = { DATABASE_URL, DELIVERY_TIMEOUT: '500ms' };
		let isHanging = true;
		const there = await target(() => (isHanging ? 'hang' : 200));
		const first = await startProcess(temporaryFolder(), { ...env, DELIVERY_TIMEOUT: '1s' });
		await first.subscribe('flow', there.url);
		const states = ['sent', 'received', 'opened'];
		await first.emit(
			states.flatMap((state) =>
				[1, 2, 3, 4].map((messageId) => ({ event: `aes_${state}`, messageId })),
			),
		);
		await until(() => there.received.length === 4, 'four are under way');
		first.child.kill('SIGKILL');
		await first.exited;
		isHanging = false;
		there.received.length = 0;
		const started = Date.now();
		const second = await startProcess(temporaryFolder(), env);
		while ((await second.deliveries('delivered')).length < 12 && Date.now() - started < 45_000) {
			await new Promise((resolve) => setTimeout(resolve, 200));
		}
		const seconds = Math.round((Date.now() - started) / 1000);
		expect(there.events()).toHaveLength(12);
		for (const id of [1, 2, 3, 4]) {
			const own = there.events().filter((event) => Number(event.messageId) === id);
			expect(own.map((event) => event.status)).toEqual(['SENT', 'RECEIVED', 'OPENED']);
		}
		record('one of two receivers killed', `12 of 12 by the other within ${seconds} s, in order`);
	});
}
