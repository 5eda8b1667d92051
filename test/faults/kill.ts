import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { target, temporaryFolder, until } from '../contract/receiver/harness.ts';
import { killUnderLoad, startProcess } from '../contract/receiver/process.ts';
import { record } from './figures.ts';

const ROUNDS = 10;

export function killFaults() {
	it('kill -9 ten times under load: no acknowledged event lost, the file sound', async () => {
		const folder = temporaryFolder();
		const acknowledged = await killUnderLoad(folder, ROUNDS);
		const database = new DatabaseSync(join(folder, 'receiver.sqlite'));
		expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
		const rows = database
			.prepare(
				`SELECT json_extract(e.event, '$.raw.id') AS id, count(d.id) AS deliveries
				FROM events e LEFT JOIN deliveries d ON d.event_sequence = e.sequence GROUP BY e.sequence`,
			)
			.all() as Array<{ id: string; deliveries: number }>;
		database.close();
		const kept = new Map(rows.map((row) => [row.id, row.deliveries]));
		expect(rows).toHaveLength(kept.size);
		const lost = [...acknowledged].filter((id) => kept.get(id) !== 1);
		expect(lost).toEqual([]);
		expect(acknowledged.size).toBeGreaterThan(100);
		const figure = `${lost.length} of ${acknowledged.size} acknowledged lost, integrity ok`;
		record(`kill -9 × ${ROUNDS} under load`, figure);
	});

	it('[STAT-05][R] kill -9 in mid-delivery: delivered after the restart, in order', async () => {
		const folder = temporaryFolder();
		let isHanging = true;
		const there = await target(() => (isHanging ? 'hang' : 200));
		const first = await startProcess(folder);
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
		const second = await startProcess(folder);
		await until(async () => (await second.deliveries('delivered')).length === 12, 'all arrive');
		expect(there.events()).toHaveLength(12);
		for (const id of [1, 2, 3, 4]) {
			const own = there.events().filter((event) => Number(event.messageId) === id);
			expect(own.map((event) => event.status)).toEqual(['SENT', 'RECEIVED', 'OPENED']);
		}
		record('kill -9 in mid-delivery', '12 of 12 delivered after the restart, in order');
	});

	it('a stop signal under load: nobody is cut off, nothing accepted is lost', async () => {
		const folder = temporaryFolder();
		const receiver = await startProcess(folder);
		await receiver.subscribe('flow', 'http://127.0.0.1:9/');
		let resets = 0;
		const acknowledged = new Set<string>();
		const worker = async (lane: number) => {
			for (let n = 0; ; n++) {
				const id = `e-${lane}-${n}`;
				try {
					const { status } = await receiver.emit({ id, event: 'aes_sent' });
					if (status === 200) acknowledged.add(id);
				} catch (error) {
					// Refused: there is nobody left to ask. Anything else was cut off in the middle.
					const { code } = (error as { cause?: { code?: string } }).cause ?? {};
					if (code !== 'ECONNREFUSED') resets++;
					return;
				}
			}
		};
		const load = Promise.all(Array.from({ length: 16 }, (_, lane) => worker(lane)));
		await new Promise((resolve) => setTimeout(resolve, 500));
		receiver.child.kill('SIGTERM');
		await load;
		expect(await receiver.exited).toEqual([0, null]);
		const database = new DatabaseSync(join(folder, 'receiver.sqlite'));
		const rows = database
			.prepare(`SELECT json_extract(event, '$.raw.id') AS id FROM events`)
			.all() as Array<{ id: string }>;
		database.close();
		const kept = new Set(rows.map(({ id }) => id));
		const lost = [...acknowledged].filter((id) => !kept.has(id));
		expect([resets, lost.length]).toEqual([0, 0]);
		record('stop signal under load', `${resets} resets, ${lost.length} of ${kept.size} lost`);
	});
}
