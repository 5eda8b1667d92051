import type { Benchmark } from '../benchmark.ts';
import { BYTES, CONNECTIONS, CONSUMERS, ingestLoad, perSecond, withLoad } from '../ingest.ts';
import { n8nStack } from '../n8n-stack.ts';
import { publishWebhook, unpublish } from '../n8n-webhooks.ts';
import { addConsumers, startReceiver } from '../receiver.ts';
import { rounds } from '../rounds.ts';

/** What suits n8n is tried: more connections only wait for each other. */
const N8N_CONNECTIONS = [20, CONNECTIONS];

/** The receiver's way in, against posting to n8n itself. */
export const benchmark: Benchmark = {
	name: 'ingest-n8n',

	measure: ({ short, report }) =>
		withLoad(async (load, started) => {
			const { stack } = await n8nStack();
			const receiver = started(await startReceiver());
			await addConsumers(receiver, CONSUMERS);
			const webhook = await publishWebhook(stack, 'ingest', { followUp: false });
			const seconds = short ? 0.5 : 4;
			const n8nSeconds = short ? 1 : 10;
			const ours = async () => {
				const { perSecond: figure } = await ingestLoad(load, receiver, seconds);
				report(`receiver ${perSecond(figure)}`);
				return figure;
			};
			const theirs = async (connections: number) => {
				const url = `${webhook.url}/events`;
				const order = { url, connections, bytes: BYTES, seconds: n8nSeconds };
				const { perSecond: figure, p50 } = await load.post(order);
				report(`n8n at ${connections} connections ${perSecond(figure)}, p50 ${p50.toFixed(0)} ms`);
				return figure;
			};
			try {
				await ours();
				const tried = new Map<number, number>();
				for (const connections of N8N_CONNECTIONS) {
					tried.set(connections, await theirs(connections));
				}
				const [[best]] = [...tried].sort(([, one], [, other]) => other - one);
				const compared = await rounds(short ? 1 : 5, ours, async () => await theirs(best));
				return [
					{
						name: 'ingest-n8n',
						what: 'durable ingest: HMAC, parsed, committed with fsync, 3 consumers that want it, 50 connections',
						against: `n8n's Webhook node, which answers at once, ${best} connections`,
						...compared,
						unit: 'events/s',
						must: { kind: 'min', value: 100, of: 'ratio' },
						aim: { kind: 'min', value: 250, of: 'ratio' },
						note: `Of ${N8N_CONNECTIONS.join(' and ')} connections to n8n, the better.`,
					},
				];
			} finally {
				await unpublish(stack, webhook);
			}
		}),
};
