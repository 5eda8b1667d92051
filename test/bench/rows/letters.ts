// The same letters with Send Letter, and with n8n's HTTP Request node.
import type { StoredWorkflow } from '../../n8n/api.ts';
import { runMailing, saveHttpRequest, saveSendLetter } from '../n8n/mailing.ts';
import { startSlowLine } from '../n8n/slow-line.ts';
import { sharedN8n } from '../n8n/stack.ts';
import { defineRow } from '../row.ts';

const TIME = {
	unit: 's',
	goal: 'ratio',
	note: 'Time of the node alone, as n8n notes it.',
} as const;

/** Milliseconds that answers of a distant, busy service take to arrive. */
const FAR_AWAY = 300;

export const LETTER_ROWS = [
	/** One letter to many: items that differ only in the recipient share requests. */
	defineRow({
		name: 'letters-same',
		peer: "n8n's HTTP Request node, a request for each",
		lines: {
			'letters-same/requests': {
				what: '1,000 letters with the same content',
				unit: 'requests',
				goal: 'ratio',
				must: 50,
				aim: 200,
			},
			'letters-same/time': {
				what: '1,000 letters with the same content',
				...TIME,
				must: 10,
				aim: 30,
			},
		},
		rounds: 5,
		warmUp: true,
		n8n: true,

		async start(short) {
			const letters = short ? 20 : 1_000;
			const mailing = { letters, text: 'same' } as const;
			const side = (workflow: StoredWorkflow) => async () => {
				const { requests, seconds } = await runMailing(workflow, letters);
				return { 'letters-same/requests': requests, 'letters-same/time': seconds };
			};
			return {
				ours: side(await saveSendLetter(mailing, { groupRecipients: true })),
				theirs: side(await saveHttpRequest(mailing)),
			};
		},
	}),

	/** An individual letter for each: one request each, whoever sends it. */
	defineRow({
		name: 'letters-personal',
		peer: "n8n's HTTP Request node, all at once",
		lines: {
			'letters-personal/time': {
				what: '1,000 personalised letters, default options',
				...TIME,
				must: 1.5,
				aim: 2,
			},
			'letters-personal/receiver': {
				what: 'the same, with a webhook receiver that keeps all keys and the book of letters',
				...TIME,
				must: 1.3,
				aim: 1.5,
			},
			'letters-personal/connections': {
				what: 'connections open at once for 200 personalised letters to a service that is 300 ms away, default options',
				unit: 'open at once',
				goal: 'ours',
				must: 12,
				aim: 8,
				note: 'Concurrency, and those that are being closed. How many HTTP Request has is how many n8n makes within 900 ms. Where the service answers at once, as in the row above, either has 5 to 13: n8n takes longer to make a connection than the service to answer.',
			},
		},
		rounds: 7,
		n8n: true,

		async start(short) {
			const { stack } = await sharedN8n();
			const line = await startSlowLine(Number(new URL(stack.sandbox.url).port), FAR_AWAY);
			const baseUrl = `https://localhost:${line.port}`;
			const near = { letters: short ? 20 : 1_000, text: 'personal' } as const;
			const far = { letters: short ? 20 : 200, text: 'personal', baseUrl } as const;
			const side =
				(workflow: StoredWorkflow, farAway: StoredWorkflow, noted?: StoredWorkflow) => async () => {
					const { seconds } = await runMailing(workflow, near.letters);
					const withReceiver = noted ? await runMailing(noted, near.letters) : { seconds };
					line.takePeak();
					await runMailing(farAway, far.letters);
					return {
						'letters-personal/time': seconds,
						'letters-personal/receiver': withReceiver.seconds,
						'letters-personal/connections': line.takePeak(),
					};
				};
			const ours = await saveSendLetter(near, {});
			const noted = await saveSendLetter({ ...near, withReceiver: true }, {});
			return {
				ours: side(ours, await saveSendLetter(far, {}), noted),
				theirs: side(await saveHttpRequest(near), await saveHttpRequest(far)),
			};
		},
	}),
];
