import type { Benchmark } from '../benchmark.ts';
import { BYTES, CONNECTIONS, perSecond, withLoad } from '../ingest.ts';
import { Executions } from '../n8n-executions.ts';
import { n8nStack } from '../n8n-stack.ts';
import {
	publishTrigger,
	publishWebhook,
	unpublish,
	type StartedByEvents,
} from '../n8n-webhooks.ts';
import { startReceiver } from '../receiver.ts';
import { rounds } from '../rounds.ts';

/** The most that *Events per Execution* takes. */
const LARGEST_BATCH = 500;

/** Connections that suit n8n's Webhook node, see the row ingest-n8n. */
const N8N_CONNECTIONS = 20;

/** From the service's post until the event has been through a workflow. */
export const benchmark: Benchmark = {
	name: 'into-workflows',

	measure: ({ short, report }) =>
		withLoad(async (load, started) => {
			const { stack, database } = await n8nStack();
			const receiver = started(await startReceiver());
			const trigger = await publishTrigger(stack, receiver, { batchSize: LARGEST_BATCH });
			const webhook = await publishWebhook(stack, 'into-workflows', { followUp: true });

			const measured =
				(side: StartedByEvents, connections: number, seconds: number) => async () => {
					const executions = new Executions(database, side);
					try {
						const startedAt = Date.now();
						const url = `${side.url}/events`;
						const { events } = await load.post({ url, connections, seconds, bytes: BYTES });
						const { endedAt, executions: count } = await executions.untilItems(events);
						const figure = events / ((endedAt - startedAt) / 1000);
						report(`${side.starter}: ${events} events, ${count} executions, ${perSecond(figure)}`);
						return figure;
					} finally {
						executions.close();
					}
				};
			const ours = measured(trigger, CONNECTIONS, short ? 0.3 : 4);
			const theirs = measured(webhook, N8N_CONNECTIONS, short ? 1 : 10);
			try {
				if (!short) {
					await ours();
					await theirs();
				}
				return [
					{
						name: 'into-workflows',
						what: 'events into workflows, from the post to the end of the last execution, up to 500 an execution',
						against: "n8n's Webhook node, an execution each",
						...(await rounds(short ? 1 : 5, ours, theirs)),
						unit: 'events/s',
						must: { kind: 'min', value: 67, of: 'ratio' },
						aim: { kind: 'min', value: 100, of: 'ratio' },
						note: 'After either node comes the same one that does nothing. Items are counted in what n8n stored of each execution: every event once.',
					},
				];
			} finally {
				await unpublish(stack, trigger);
				await unpublish(stack, webhook);
			}
		}),
};
