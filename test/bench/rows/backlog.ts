import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { residentMemory } from '../../support/memory.ts';
import { addConsumers, drain, removeConsumers } from '../parts/consumers.ts';
import { fill, postEvents } from '../parts/load.ts';
import { startReceiver } from '../parts/receiver.ts';
import { defineRow } from '../row.ts';

/**
 * Whether a receiver that has stored a million events is as fast as one that has stored a thousand.
 */
export const backlog = defineRow({
	name: 'backlog',
	peer: 'the same at 1,000',
	lines: {
		'backlog/ingest': {
			what: 'durable ingest with 1,000,000 stored events',
			unit: 'events/s',
			goal: 'ratio',
			must: 0.8,
			aim: 0.95,
		},
		'backlog/pull': {
			what: 'events pulled one a batch, 50 at once, each acknowledged, with 1,000,000 stored events',
			unit: 'events/s',
			goal: 'ratio',
			must: 0.8,
			aim: 0.95,
		},
		'backlog/memory': {
			what: 'memory with 1,000,000 stored events, after ingest',
			unit: 'MB',
			goal: 'excess',
			must: 64,
			aim: 64,
		},
	},
	rounds: 3,

	async start(short) {
		const requests = short ? 500 : 12_000;
		/** A new process for each round. */
		const measured = async (folder: string) => {
			const receiver = await startReceiver({ folder });
			await addConsumers(receiver, 3);
			await postEvents(receiver.url, { requests: requests / 4 });
			const { perSecond } = await postEvents(receiver.url, { requests });
			const memory = (await residentMemory(receiver.pid, 'VmRSS')) / 2 ** 20;
			const waiting = { consumers: 1, batchSize: 1, atOnce: 50, events: requests * 1.25 };
			const pulled = await drain([receiver], waiting);
			await removeConsumers(receiver);
			await receiver.stop();
			return { 'backlog/ingest': perSecond, 'backlog/pull': pulled, 'backlog/memory': memory };
		};
		const filled = async (events: number) => {
			const folder = mkdtempSync(join(tmpdir(), 'backlog-'));
			const receiver = await startReceiver({ folder });
			await fill(receiver.url, events);
			await receiver.stop();
			return folder;
		};
		const many = await filled(short ? 2_000 : 1_000_000);
		return {
			// What a round adds is little next to a million, but would soon multiply a thousand.
			ours: () => measured(many),
			theirs: async () => measured(await filled(1_000)),
		};
	},
});
