import { join } from 'node:path';
import { temporaryFolder } from '../contract/receiver/harness.ts';
import { idsIn, startProcess } from '../contract/receiver/process.ts';
import { record } from './figures.ts';

type Receiver = Awaited<ReturnType<typeof startProcess>>;

export function twoMachinesFaults() {
	let folder: string;
	let posted: number;
	let acknowledged: string[];
	beforeEach(() => {
		folder = temporaryFolder();
		posted = 0;
		acknowledged = [];
	});

	const on = (machine: string) =>
		startProcess(folder, {
			MACHINE: machine,
			NODE_OPTIONS: `--import ${join(__dirname, 'without-locks.mjs')}`,
		});
	/** Returns the status of each answer. */
	const post = async (receiver: Receiver, times = 20): Promise<number[]> => {
		const statuses: number[] = [];
		for (let n = 0; n < times; n++) {
			const id = `e-${++posted}`;
			const { status } = await receiver.emit({ id, event: 'aes_sent' });
			if (status === 200) acknowledged.push(id);
			statuses.push(status);
		}
		return statuses;
	};
	const stop = async ({ child, exited }: Receiver) => {
		child.kill('SIGTERM');
		await exited;
	};
	const expectAll = async (receiver: Receiver) => {
		expect((await idsIn(receiver)).sort()).toEqual([...acknowledged].sort());
	};

	it('one file on two machines without locks: the second does not start, and nothing is lost', async () => {
		const first = await on('one');
		const posting = post(first, 60);
		// A machine that starts it again and again.
		for (let attempt = 0; attempt < 2; attempt++) {
			await expect(on('two').then((second) => post(second))).rejects.toThrow(
				/in use by a receiver on another machine, one/,
			);
		}
		expect(new Set(await posting)).toEqual(new Set([200]));
		await post(first);
		first.child.kill('SIGKILL');
		await first.exited;
		await expectAll(await on('two'));
		record('a second machine starts it', `refused; all ${acknowledged.length} acknowledged kept`);
	});

	it('one file on two machines without locks: one that was stuck finds out, takes nothing and harms nothing', async () => {
		const first = await on('one');
		await post(first);
		first.child.kill('SIGSTOP');
		const asked = performance.now();
		const second = await on('two');
		const asking = performance.now() - asked;
		await post(second);
		first.child.kill('SIGCONT');
		expect(new Set(await post(first))).toEqual(new Set([503]));
		expect(new Set(await post(second))).toEqual(new Set([200]));
		await stop(first);
		expect(new Set(await post(second))).toEqual(new Set([200]));
		second.child.kill('SIGKILL');
		await second.exited;
		const third = await on('two');
		await expectAll(third);
		await stop(third);
		// What ended in order is free at once, for any machine: nobody is asked for three seconds.
		const since = performance.now();
		const last = await on('one');
		expect(performance.now() - since).toBeLessThan(asking);
		await expectAll(last);
		record('taken over by a second machine', `all ${acknowledged.length} acknowledged kept`);
	});
}
