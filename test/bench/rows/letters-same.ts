import { startFileServer } from '../../real-n8n/file-server.ts';
import type { Benchmark } from '../benchmark.ts';
import { alternate, compare } from '../n8n-rounds.ts';
import { readers, runMailing, saveHttpRequest, saveSendLetter } from '../n8n-letters.ts';
import { n8nStack } from '../n8n-stack.ts';

/** One letter to many: items that differ in nothing but the recipient share requests. */
export const benchmark: Benchmark = {
	name: 'letters-same',

	async measure({ short, report }) {
		const { stack } = await n8nStack();
		const letters = short ? 20 : 1000;
		const files = await startFileServer();
		try {
			const plan = { files, to: readers(letters), text: 'same' } as const;
			const ours = await saveSendLetter(stack, plan, { groupRecipients: true });
			const theirs = await saveHttpRequest(stack, plan);
			const rounds = await alternate(
				{ rounds: short ? 1 : 5, warmUp: !short, report },
				async () => await runMailing(stack, ours, letters),
				async () => await runMailing(stack, theirs, letters),
			);
			const row = {
				what: `${letters} letters with the same content`,
				against: "n8n's HTTP Request node, a request for each",
			};
			return [
				{
					...row,
					name: 'letters-same/requests',
					...compare(rounds, ({ requests }) => requests, 'less'),
					unit: 'requests',
					must: { kind: 'min', value: 50, of: 'ratio' },
					aim: { kind: 'min', value: 200, of: 'ratio' },
				},
				{
					...row,
					name: 'letters-same/time',
					...compare(rounds, ({ seconds }) => seconds, 'less'),
					unit: 's',
					must: { kind: 'min', value: 10, of: 'ratio' },
					aim: { kind: 'min', value: 30, of: 'ratio' },
					note: 'Time of the node alone, as n8n notes it.',
				},
			];
		} finally {
			await files.close();
		}
	},
};
