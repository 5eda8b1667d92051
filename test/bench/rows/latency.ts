import { setTimeout as sleep } from 'node:timers/promises';

import { quantile } from '../measure.ts';
import { watchExecutions, type Executions } from '../n8n/executions.ts';
import { publishTrigger, publishWebhook, type Starter } from '../n8n/starters.ts';
import { signedEvents } from '../parts/events.ts';
import { defineRow, type Line, type Row } from '../row.ts';

/**
 * Milliseconds of rest after an event: its execution starts without our queries competing for the
 * processors, and the next event meets an idle system.
 */
const REST = 300;

/** How long one event waits on its way through the receiver. */
export const LATENCY_ROWS: readonly Row[] = [
	latencyRow({
		name: 'latency',
		peer: "posting straight to n8n's Webhook node",
		// Checking who posts and storing the event take time that the bare node does not.
		goals: { goal: 'excess', must: 2.5, aim: 2.5 },
	}),
	latencyRow({
		name: 'latency-authenticated',
		peer: "n8n's Webhook node with Header Auth",
		secret: crypto.randomUUID(),
		goals: { goal: 'ratio', must: 3, aim: 3 },
	}),
];

function latencyRow(row: {
	name: string;
	peer: string;
	/** How the peer checks who posts, as the receiver always does. */
	secret?: string;
	goals: Pick<Line, 'goal' | 'must' | 'aim'>;
}): Row {
	const { name, peer, secret, goals } = row;
	const line = (share: string): Line => ({
		what: `an event's time from post to execution start, idle, ${share} of 30`,
		note: 'The start is the one that n8n notes of the starting node, in whole milliseconds.',
		unit: 'ms',
		...goals,
	});
	return defineRow({
		name,
		peer,
		lines: { [`${name}/p50`]: line('p50'), [`${name}/p95`]: line('p95') },
		rounds: 4,
		warmUp: true,
		n8n: true,

		async start(short) {
			const measured = async (starter: Starter) => {
				const executions = await watchExecutions(starter);
				return async () => {
					const times: number[] = [];
					for (let n = 0; n < (short ? 5 : 30); n++) {
						times.push(await oneEvent(starter, executions));
					}
					return {
						[`${name}/p50`]: quantile(times, 0.5),
						[`${name}/p95`]: quantile(times, 0.95),
					};
				};
			};
			return {
				ours: await measured(await publishTrigger({ batchSize: 1 })),
				theirs: await measured(await publishWebhook(name, { secret })),
			};
		},
	});
}

/**
 * Posts one event.
 *
 * @returns milliseconds until the workflow's first node started
 */
async function oneEvent({ url, headers }: Starter, executions: Executions): Promise<number> {
	const event = signedEvents();
	const posted = performance.timeOrigin + performance.now();
	const answer = await fetch(`${url}/events`, {
		method: 'POST',
		...event,
		headers: { ...event.headers, ...headers },
	});
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
	await sleep(REST);
	const [{ startTime }] = await executions.untilItems(1);
	return startTime - posted;
}
