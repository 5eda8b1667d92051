import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { consume, temporaryFolder, until } from '../contract/receiver/harness.ts';
import { idsIn, killUnderLoad, startProcess } from '../contract/receiver/process.ts';
import { record } from './figures.ts';

const ROUNDS = 10;

export function killFaults() {
	it('kill -9 ten times under load: no acknowledged event lost, the file sound', async () => {
		const folder = temporaryFolder();
		const acknowledged = await killUnderLoad(folder, ROUNDS);
		const database = new DatabaseSync(join(folder, 'receiver.sqlite'));
		expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
		database.close();
		const ids = await idsIn(await startProcess(folder));
		expect(new Set(ids).size).toBe(ids.length);
		const kept = new Set(ids);
		const lost = [...acknowledged].filter((id) => !kept.has(id));
		expect(lost).toEqual([]);
		expect(acknowledged.size).toBeGreaterThan(100);
		const figure = `${lost.length} of ${acknowledged.size} acknowledged lost, integrity ok`;
		record(`kill -9 × ${ROUNDS} under load`, figure);
	});

	it('[STAT-05][R] kill -9 in mid-hold: all goes on after the restart, once and in order', async () => {
		const folder = temporaryFolder();
		const first = await startProcess(folder);
		const asked = { holder: 'one-n8n-process', atOnce: 4 };
		const before = await consume(first, { ...asked, settle: () => 'hold' });
		const states = ['sent', 'received', 'opened'];
		await first.emit(
			states.flatMap((state) =>
				[1, 2, 3, 4].map((messageId) => ({ event: `aes_${state}`, messageId })),
			),
		);
		await until(() => before.batches.length === 4, 'four are in hand');
		first.child.kill('SIGKILL');
		await first.exited;
		await before.stop();
		const second = await startProcess(folder);
		// n8n had them all along, and now reports the results.
		const settle = before.batches.map(({ id }) => ({ batch: id, outcome: 'ack' as const }));
		await second.pulled({ ...asked, settle, atOnce: 0 });
		const after = await consume(second, asked);
		await until(async () => (await second.deliveries('done')).length === 12, 'all are settled');
		const all = [...before.batches, ...after.batches];
		expect(all.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 12 }, () => 1));
		for (const id of [1, 2, 3, 4]) {
			const own = all.flatMap(({ events }) => events).filter((one) => Number(one.messageId) === id);
			expect(own.map((event) => event.status)).toEqual(['SENT', 'RECEIVED', 'OPENED']);
		}
		record('kill -9 in mid-hold', '12 of 12 handed out once, in order');
	});

	it('a stop signal under load: nobody is cut off, nothing accepted is lost', async () => {
		const folder = temporaryFolder();
		const receiver = await startProcess(folder);
		await receiver.pull();
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
		const kept = new Set(await idsIn(await startProcess(folder)));
		const lost = [...acknowledged].filter((id) => !kept.has(id));
		expect([resets, lost.length]).toEqual([0, 0]);
		record('stop signal under load', `${resets} resets, ${lost.length} of ${kept.size} lost`);
	});
}
