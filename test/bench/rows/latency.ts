import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

import { until } from '../../n8n/poll.ts';
import type { Benchmark, Measurement, Round } from '../benchmark.ts';
import { signedEvent } from '../event.ts';
import { withLoad } from '../ingest.ts';
import { Executions } from '../n8n-executions.ts';
import { n8nStack } from '../n8n-stack.ts';
import {
	publishTrigger,
	publishWebhook,
	unpublish,
	type StartedByEvents,
} from '../n8n-webhooks.ts';
import { startReceiver } from '../receiver.ts';
import { quantile } from '../rounds.ts';

/** Milliseconds of rest after an execution, so that the next event meets an idle system. */
const REST = 100;

/** What one event has to wait for on its way through the receiver. */
export const benchmark: Benchmark = {
	name: 'latency',

	measure: ({ short, report }) =>
		withLoad(async (_load, started) => {
			const { stack, database } = await n8nStack();
			const receiver = started(await startReceiver());
			const trigger = await publishTrigger(stack, receiver, { batchSize: 1 });
			const webhook = await publishWebhook(stack, 'latency', { followUp: true });
			const sides = [trigger, webhook].map((side) => ({
				...{ side, executions: new Executions(database, side), times: [] as number[] },
			}));
			const agent = new Agent();
			try {
				const singles = short ? 10 : 200;
				const warmUp = short ? 2 : 30;
				for (let n = 0; n < warmUp + singles; n++) {
					// In turns: whatever the machine does meets all alike.
					for (const { side, executions, times } of n % 2 ? sides : sides.toReversed()) {
						const milliseconds = await oneEvent(agent, side, executions);
						if (n >= warmUp) times.push(milliseconds);
						await sleep(REST);
					}
				}
				const [ours, theirs] = sides.map(({ times }) => times);
				return [
					...[0.5, 0.95].map((share) => ({
						...measurement(`p${share * 100}`, share, ours, theirs, report),
						against: "posting straight to n8n's Webhook node",
						note: NOTE,
					})),
				];
			} finally {
				for (const { executions } of sides) executions.close();
				await agent.close();
				for (const { side } of sides) await unpublish(stack, side);
			}
		}),
};

const NOTE = 'The start is the one that n8n notes of the starting node, in whole milliseconds.';

function measurement(
	name: string,
	share: number,
	ours: number[],
	theirs: number[],
	report: Round['report'],
): Omit<Measurement, 'against'> {
	const figures = { ours: quantile(ours, share), theirs: quantile(theirs, share) };
	report(`${name}: ${JSON.stringify(figures)}`);
	return {
		name: `latency/${name}`,
		what: `an event's time from post to execution start, idle, p${share * 100} of ${ours.length}`,
		...figures,
		unit: 'ms',
		ratio: figures.theirs / figures.ours,
		must: { kind: 'min', value: 1, of: 'ratio' },
		aim: { kind: 'min', value: 1.3, of: 'ratio' },
	};
}

/** Posts one event. @returns milliseconds until the workflow's first node started */
async function oneEvent(
	agent: Agent,
	{ url }: StartedByEvents,
	executions: Executions,
): Promise<number> {
	executions.forget();
	const messageId = String(Math.floor(Math.random() * 1e12)).padStart(12, '0');
	const order = signedEvent({ event: 'aes_received', messageId });
	const posted = performance.timeOrigin + performance.now();
	const answer = await request(`${url}/events`, { method: 'POST', dispatcher: agent, ...order });
	const text = await answer.body.text();
	if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`);
	const [ended] = await until('an execution', async () => {
		const all = executions.ended();
		return all.length > 0 && all;
	});
	return executions.startingRun(ended.id).startTime - posted;
}
