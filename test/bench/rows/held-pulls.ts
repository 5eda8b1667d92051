import { setTimeout as sleep } from 'node:timers/promises';

import { residentMemory } from '../../support/memory.ts';
import { hold } from '../parts/consumers.ts';
import { processorSeconds } from '../parts/program.ts';
import { startReceiver } from '../parts/receiver.ts';
import { defineRow } from '../row.ts';

/** What a receiver uses while a thousand workflows wait for an event that never comes. */
export const heldPulls = defineRow({
	name: 'held-pulls',
	peer: null,
	lines: {
		'held-pulls/memory': {
			what: 'memory of each of 1,000 held pulls',
			unit: 'kB',
			goal: 'ours',
			must: 100,
			aim: 50,
		},
		'held-pulls/idle': {
			what: 'processor time with 1,000 held pulls, no events',
			unit: '% of a core',
			goal: 'ours',
			must: 5,
			aim: 2,
		},
	},
	rounds: 1,

	async start(short) {
		const pulls = short ? 20 : 1_000;
		const seconds = short ? 1 : 30;
		return {
			async ours() {
				const { pid, stop, ...receiver } = await startReceiver();
				const before = await residentMemory(pid, 'VmRSS');
				await hold(receiver, pulls);
				const spent = processorSeconds(pid);
				await sleep(seconds * 1_000);
				const idle = ((processorSeconds(pid) - spent) / seconds) * 100;
				const memory = ((await residentMemory(pid, 'VmRSS')) - before) / 1024 / pulls;
				await stop();
				return { 'held-pulls/memory': memory, 'held-pulls/idle': idle };
			},
		};
	},
});
