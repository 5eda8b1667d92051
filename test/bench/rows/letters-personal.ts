import { startFileServer } from '../../real-n8n/file-server.ts';
import type { Benchmark } from '../benchmark.ts';
import { countConnections } from '../n8n-connections.ts';
import { readers, runMailing, saveHttpRequest, saveSendLetter } from '../n8n-letters.ts';
import { alternate, compare } from '../n8n-rounds.ts';
import { n8nStack } from '../n8n-stack.ts';

/** What Send Letter is tried with: its default, and what a user in a hurry would set. */
const CONCURRENCIES = { default: {}, hurry: { concurrency: 20 } };

/** A letter of its own to each: a request for each, whoever sends it. */
export const benchmark: Benchmark = {
	name: 'letters-personal',

	async measure({ short, report }) {
		const { stack } = await n8nStack();
		const letters = short ? 20 : 1000;
		const files = await startFileServer();
		const counter = await countConnections(Number(new URL(stack.sandbox.url).port));
		try {
			const baseUrl = `https://localhost:${counter.port}`;
			const to = readers(letters);
			const plan = { files, to, text: 'personal', baseUrl } as const;
			const theirs = await saveHttpRequest(stack, plan);
			const run = async (workflow: typeof theirs) => {
				counter.takePeak();
				const mailing = await runMailing(stack, workflow, letters);
				return { ...mailing, connections: counter.takePeak() };
			};
			const measurements = [];
			for (const [name, options] of Object.entries(CONCURRENCIES)) {
				const ours = await saveSendLetter(stack, plan, options);
				const rounds = await alternate(
					{ rounds: short ? 1 : 5, warmUp: !short, report },
					async () => await run(ours),
					async () => await run(theirs),
				);
				const row = {
					what: `${letters} personalised letters, ${name === 'default' ? 'default options' : `Concurrency ${CONCURRENCIES.hurry.concurrency}`}`,
					against: "n8n's HTTP Request node, all at once",
				};
				measurements.push(
					{
						...row,
						name: `letters-personal/time-${name}`,
						...compare(rounds, ({ seconds }) => seconds, 'less'),
						unit: 's',
						must: { kind: 'min', value: 1, of: 'ratio' },
						aim: { kind: 'min', value: 1.5, of: 'ratio' },
						note: 'Time of the node alone, as n8n notes it.',
					} as const,
					{
						...row,
						name: `letters-personal/connections-${name}`,
						...compare(rounds, ({ connections }) => connections, 'less'),
						unit: 'open at once',
						must: { kind: 'min', value: 10, of: 'ratio' },
						aim: { kind: 'min', value: 10, of: 'ratio' },
					} as const,
				);
			}
			return measurements;
		} finally {
			await counter.close();
			await files.close();
		}
	},
};
