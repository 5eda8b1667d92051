import { setTimeout as sleep } from 'node:timers/promises';

import type { Benchmark } from '../benchmark.ts';
import { withLoad } from '../ingest.ts';
import { startPuller } from '../puller.ts';
import { MANAGEMENT_TOKEN, startReceiver } from '../receiver.ts';
import { processorSeconds, residentBytes } from '../resident.ts';

const PULLS = 1_000;

/** What a receiver takes while a thousand workflows wait for an event that does not come. */
export const benchmark: Benchmark = {
	name: 'held-pulls',
	measure: ({ short, report }) =>
		withLoad(async (_load, started) => {
			const receiver = started(await startReceiver());
			const puller = started(startPuller());
			const before = residentBytes(receiver.pid);
			const pulls = short ? 20 : PULLS;
			await puller.hold({ url: receiver.url, token: MANAGEMENT_TOKEN, pulls });
			const seconds = short ? 1 : 30;
			const spent = processorSeconds(receiver.pid);
			await sleep(seconds * 1_000);
			const cpu = ((processorSeconds(receiver.pid) - spent) / seconds) * 100;
			const kilobytes = (residentBytes(receiver.pid) - before) / 1024 / pulls;
			report(`${pulls} held: ${kilobytes.toFixed(1)} kB each, ${cpu.toFixed(2)} % of a core`);
			const row = { against: null, theirs: null, ratio: null } as const;
			const held = `${PULLS.toLocaleString('en')} held pulls`;
			return [
				{
					...{ ...row, name: 'held-pulls/memory', what: `memory of each of ${held}`, unit: 'kB' },
					ours: kilobytes,
					must: { kind: 'max', value: 100, of: 'ours' },
					aim: { kind: 'max', value: 50, of: 'ours' },
				},
				{
					...{ ...row, name: 'held-pulls/idle', what: `processor time with ${held}, no events` },
					unit: '% of a core',
					ours: cpu,
					must: { kind: 'max', value: 5, of: 'ours' },
					aim: { kind: 'max', value: 2, of: 'ours' },
				},
			];
		}),
};
