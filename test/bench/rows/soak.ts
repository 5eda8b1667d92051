import { setTimeout as sleep } from 'node:timers/promises';

import { residentMemory } from '../../support/memory.ts';
import { watchExecutions } from '../n8n/executions.ts';
import { sharedN8n } from '../n8n/stack.ts';
import { publishTrigger } from '../n8n/starters.ts';
import { postEvents } from '../parts/load.ts';
import { defineRow } from '../row.ts';

/** The value of *Executions at Once*. */
const AT_ONCE = 5;

interface Sample {
	/** Milliseconds since 1970. */
	at: number;
	ended: number;
	running: number;
	/** Resident memory, in MB. */
	n8n: number;
	receiver: number;
}

/** A mailing whose events come far faster than n8n runs executions: does n8n stay stable? */
export const soak = defineRow({
	name: 'soak',
	peer: 'the first half',
	lines: {
		'soak/rate': {
			what: 'a mailing of 20,000 letters: 60,000 events posted as fast as they go in, an execution for each, 5 at once; the second half',
			unit: 'executions/s',
			goal: 'ratio',
			must: 0.8,
			aim: 0.95,
		},
		'soak/running': {
			what: 'executions running at once, the most in the second half',
			unit: 'executions',
			goal: 'ours',
			must: AT_ONCE,
			aim: AT_ONCE,
		},
		'soak/n8n-memory': {
			what: "n8n's memory, mean of the second half",
			unit: 'MB',
			goal: 'excess',
			must: 256,
			aim: 64,
		},
		'soak/receiver-memory': {
			what: "the receiver's memory, mean of the second half",
			unit: 'MB',
			goal: 'excess',
			must: 64,
			aim: 32,
		},
	},
	rounds: 1,
	n8n: true,
	apart: true,

	async start(short) {
		const letters = short ? 10 : 20_000;
		const events = letters * 3;
		let samples: Sample[] = [];
		const half = () => samples.findIndex(({ ended }) => ended >= events / 2);
		return {
			async ours() {
				samples = await mail(events, short ? 200 : 5_000);
				return figures(samples.slice(half() - 1));
			},
			theirs: async () => figures(samples.slice(0, half() + 1)),
		};
	},
});

/** Posts all events, and samples n8n and the receiver until the last execution has ended. */
async function mail(events: number, pauseMs: number): Promise<Sample[]> {
	const { stack } = await sharedN8n();
	const trigger = await publishTrigger({ batchSize: 1, atOnce: AT_ONCE });
	const executions = await watchExecutions(trigger);
	const samples: Sample[] = [];
	const look = async () => {
		const { begun, ended } = executions.count();
		samples.push({
			at: Date.now(),
			ended,
			running: begun - ended,
			n8n: (await residentMemory(stack.n8n.pid, 'VmRSS')) / 2 ** 20,
			receiver: (await residentMemory(trigger.receiver.pid, 'VmRSS')) / 2 ** 20,
		});
		return ended < events;
	};
	const posted = postEvents(trigger.url, { requests: events });
	while (await look()) await sleep(pauseMs);
	await posted;
	await executions.untilItems(events);
	return samples;
}

function figures(samples: readonly Sample[]) {
	const [first, last] = [samples[0], samples[samples.length - 1]];
	const mean = (name: 'n8n' | 'receiver') =>
		samples.reduce((sum, sample) => sum + sample[name], 0) / samples.length;
	return {
		'soak/rate': ((last.ended - first.ended) * 1_000) / (last.at - first.at),
		'soak/running': Math.max(...samples.map(({ running }) => running)),
		'soak/n8n-memory': mean('n8n'),
		'soak/receiver-memory': mean('receiver'),
	};
}
