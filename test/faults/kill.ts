import { consume, temporaryFolder, until } from '../contract/receiver/harness.ts';
import { startProcess } from '../contract/receiver/process.ts';
import { record } from './figures.ts';

export function killFaults() {
	it('kill -9 in mid-hold: all goes on after the restart, once and in order', async () => {
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
		await until(async () => (await second.batches('done')).length === 12, 'all are settled');
		const all = [...before.batches, ...after.batches];
		expect(all.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 12 }, () => 1));
		for (const id of [1, 2, 3, 4]) {
			const own = all.flatMap(({ events }) => events).filter((one) => Number(one.messageId) === id);
			expect(own.map((event) => event.status)).toEqual(['SENT', 'RECEIVED', 'OPENED']);
		}
		record('kill -9 in mid-hold', '12 of 12 handed out once, in order');
	});
}
