import type { StoredWorkflow } from '../../n8n/api.ts';
import type { Stack } from '../../n8n/stack.ts';
import { startFileServer, type FileServer } from '../../real-n8n/file-server.ts';
import type { Benchmark, Measurement, Round } from '../benchmark.ts';
import { countConnections } from '../n8n-connections.ts';
import { readers, runMailing, saveHttpRequest, saveSendLetter } from '../n8n-letters.ts';
import { alternate, compare } from '../n8n-rounds.ts';
import { n8nStack } from '../n8n-stack.ts';

/** What Send Letter is tried with: its default, and what a user in a hurry would set. */
const CONCURRENCIES = { default: {}, hurry: { concurrency: 20 } };

/** Milliseconds that whatever a service says takes to arrive when it is far away and busy. */
const FAR_AWAY = 300;

/** Enough for a request of each side to wait for an answer before the next is made. */
const LETTERS_FAR_AWAY = 200;

/** A letter of its own to each: a request for each, whoever sends it. */
export const benchmark: Benchmark = {
	name: 'letters-personal',

	async measure({ short, report }) {
		const { stack } = await n8nStack();
		const files = await startFileServer();
		const letters = short ? 20 : 1000;
		try {
			const measurements: Measurement[] = [];
			for (const [name, options] of Object.entries(CONCURRENCIES)) {
				const plan = { files, to: readers(letters), text: 'personal' } as const;
				const ours = await saveSendLetter(stack, plan, options);
				const theirs = await saveHttpRequest(stack, plan);
				const rounds = await alternate(
					{ rounds: short ? 1 : 5, warmUp: !short, report },
					async () => await runMailing(stack, ours, letters),
					async () => await runMailing(stack, theirs, letters),
				);
				measurements.push({
					name: `letters-personal/time-${name}`,
					what: `${letters} personalised letters, ${name === 'default' ? 'default options' : `Concurrency ${CONCURRENCIES.hurry.concurrency}`}`,
					against: THEIRS,
					...compare(rounds, ({ seconds }) => seconds, 'less'),
					unit: 's',
					must: { kind: 'min', value: 1, of: 'ratio' },
					aim: { kind: 'min', value: 1.5, of: 'ratio' },
					note: 'Time of the node alone, as n8n notes it.',
				});
			}
			const few = short ? 20 : LETTERS_FAR_AWAY;
			const connections = await mostConnections(stack, files, few, report);
			measurements.push({
				name: 'letters-personal/connections',
				what: `connections open at once for ${few} personalised letters to a service that is ${FAR_AWAY} ms away, default options`,
				against: THEIRS,
				...connections,
				ratio: connections.theirs / connections.ours,
				unit: 'open at once',
				must: { kind: 'min', value: 10, of: 'ratio' },
				aim: { kind: 'min', value: 10, of: 'ratio' },
				note: 'Where the service answers at once, as in the rows above, either has 5 to 13: n8n takes longer to make a connection than the service to answer.',
			});
			return measurements;
		} finally {
			await files.close();
		}
	},
};

const THEIRS = "n8n's HTTP Request node, all at once";

async function mostConnections(
	stack: Stack,
	files: FileServer,
	letters: number,
	report: Round['report'],
): Promise<{ ours: number; theirs: number }> {
	const counter = await countConnections(Number(new URL(stack.sandbox.url).port), FAR_AWAY);
	try {
		const baseUrl = `https://localhost:${counter.port}`;
		const plan = { files, to: readers(letters), text: 'personal', baseUrl } as const;
		const peak = async (workflow: StoredWorkflow) => {
			counter.takePeak();
			await runMailing(stack, workflow, letters);
			return counter.takePeak();
		};
		const ours = await peak(await saveSendLetter(stack, plan, {}));
		const theirs = await peak(await saveHttpRequest(stack, plan));
		report(`connections: ${JSON.stringify({ ours, theirs })}`);
		return { ours, theirs };
	} finally {
		await counter.close();
	}
}
