import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

import { until } from '../../n8n/poll.ts';
import type { Benchmark, Measurement, Round } from '../benchmark.ts';
import { BYTES, withLoad } from '../ingest.ts';
import { INGEST_SECRET } from '../load.ts';
import { Executions } from '../n8n-executions.ts';
import { n8nStack } from '../n8n-stack.ts';
import {
	publishTrigger,
	publishWebhook,
	startReceiverFor,
	unpublish,
	type StartedByEvents,
} from '../n8n-webhooks.ts';
import { quantile } from '../rounds.ts';

/** Milliseconds of rest after an execution, so that the next event meets an idle system. */
const REST = 100;

/** What one event has to wait for on its way through the receiver. */
export const benchmark: Benchmark = {
	name: 'latency',

	measure: ({ short, report }) =>
		withLoad(async (_load, started) => {
			const { stack, database } = await n8nStack();
			const receiver = started(await startReceiverFor(stack));
			const trigger = await publishTrigger(stack, receiver, 1);
			const webhook = await publishWebhook(stack, 'latency', { followUp: true });
			const plain = await publishWebhook(stack, 'latency-1', { followUp: true, version: 1 });
			const sides = [trigger, webhook, plain].map((side) => ({
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
				const [ours, theirs, anyTrigger] = sides.map(({ times }) => times);
				return [
					...[0.5, 0.95].map((share) => ({
						...measurement(`p${share * 100}`, share, ours, theirs, report),
						against: "posting straight to n8n's Webhook node",
						note: NOTE,
					})),
					{
						...measurement('any-trigger-p50', 0.5, ours, anyTrigger, report),
						against: "posting straight to n8n's Webhook node of version 1",
						note: LIMIT,
					},
				];
			} finally {
				for (const { executions } of sides) executions.close();
				await agent.close();
				for (const { side } of sides) await unpublish(stack, side);
			}
		}),
};

const NOTE = 'The start is the one that n8n notes of the starting node, in whole milliseconds.';

const LIMIT =
	'The limit: for any trigger node but its own Webhook node of version 2, n8n 2.41 builds an isolate for expressions before the workflow starts, and its pool holds one. Version 1 has to wait for it too; what is above it is the share of receiver and trigger.';

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
		must: { kind: 'min', value: 1 / 1.3, of: 'ratio' },
		aim: { kind: 'min', value: 1 / 1.1, of: 'ratio' },
	};
}

/** Posts one event. @returns milliseconds until the workflow's first node started */
async function oneEvent(
	agent: Agent,
	{ url }: StartedByEvents,
	executions: Executions,
): Promise<number> {
	executions.forget();
	const order = signedEvent();
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

function signedEvent() {
	const event = {
		eventId: crypto.randomUUID(),
		event: 'aes_received',
		messageId: String(Math.floor(Math.random() * 1e12)).padStart(12, '0'),
		timestamp: new Date().toISOString(),
		details: 'x'.repeat(BYTES - 150),
	};
	const body = JSON.stringify(event);
	const timestamp = String(Math.floor(Date.now() / 1000));
	const hmac = createHmac('sha256', INGEST_SECRET).update(`${timestamp}.${body}`).digest('hex');
	const headers = {
		'content-type': 'application/json',
		'x-webhook-timestamp': timestamp,
		'x-webhook-signature': hmac,
	};
	return { body, headers };
}
