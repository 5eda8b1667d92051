import { watchExecutions } from '../n8n/executions.ts';
import { publishTrigger, publishWebhook, type Starter } from '../n8n/starters.ts';
import { postEvents } from '../parts/load.ts';
import { defineRow } from '../row.ts';

/** From the service's post until the event has passed through a workflow. */
export const intoWorkflows = defineRow({
	name: 'into-workflows',
	peer: "n8n's Webhook node, an execution each",
	lines: {
		'into-workflows': {
			what: 'events into workflows, from the post to the end of the last execution, up to 500 an execution, one at a time',
			unit: 'events/s',
			goal: 'ratio',
			must: 80,
			aim: 100,
			note: 'After either node comes the same one that does nothing. Items are counted in what n8n stored of each execution: every event once.',
		},
	},
	rounds: 5,
	warmUp: true,
	n8n: true,

	async start(short) {
		const measured = async (starter: Starter, connections: number, requests: number) => {
			const executions = await watchExecutions(starter);
			return async () => {
				const startedAt = Date.now();
				await postEvents(starter.url, { requests }, connections);
				const ended = await executions.untilItems(requests);
				const endedAt = Math.max(...ended.map(({ stoppedAt }) => stoppedAt));
				return { 'into-workflows': (requests * 1_000) / (endedAt - startedAt) };
			};
		};
		const trigger = await publishTrigger({ batchSize: 500, maxConcurrentExecutions: 1 });
		const webhook = await publishWebhook('into-workflows');
		return {
			ours: await measured(trigger, 50, short ? 1_000 : 15_000),
			// More connections would only wait for each other.
			theirs: await measured(webhook, 20, short ? 40 : 350),
		};
	},
});
