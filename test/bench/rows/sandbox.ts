import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Benchmark } from '../benchmark.ts';
import { end, startNode } from '../processes.ts';
import { repeated } from '../rounds.ts';

const MAIN = new URL('../../../sandbox/src/main.ts', import.meta.url).pathname;

export const benchmark: Benchmark = {
	name: 'sandbox',
	async measure({ short, report }) {
		const ours = await repeated(short ? 1 : 7, async () => {
			const seconds = await startToReady();
			report(`ready after ${seconds.toFixed(2)} s`);
			return seconds;
		});
		return [
			{
				name: 'sandbox',
				what: 'the whole service on this machine, from start to its first answer',
				against: null,
				ours,
				theirs: null,
				unit: 's',
				ratio: null,
				must: { kind: 'max', value: 2, of: 'ours' },
				aim: { kind: 'max', value: 1, of: 'ours' },
				note: 'A process of its own, from its sources, with a certificate authority made anew.',
			},
		];
	},
};

/** Until it says where it is and answers there. */
async function startToReady(): Promise<number> {
	const started = performance.now();
	const child = startNode(MAIN, { stdio: ['ignore', 'pipe', 'inherit'] });
	try {
		const url = await new Promise<string>((resolve, reject) => {
			createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
				const page = /^Mails\s+(\S+)/.exec(line)?.[1];
				if (page) resolve(page);
			});
			void once(child, 'exit').then(() => reject(new Error('the sandbox did not start')));
		});
		const answer = await fetch(url);
		await answer.text();
		if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}`);
		return (performance.now() - started) / 1000;
	} finally {
		await end(child);
	}
}
