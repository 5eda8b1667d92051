import { residentMemory } from '../../support/memory.ts';
import type { AccountAccess } from '../../../sandbox/src/sandbox.ts';
import { post } from '../parts/load.ts';
import { startProgram } from '../parts/program.ts';
import { defineRow } from '../row.ts';

/** Recipients per request: Send Letter's maximum group. */
const EACH = 250;

/** How fast it starts, and whether it stays responsive with many letters. */
export const sandbox = defineRow({
	name: 'sandbox',
	peer: null,
	lines: {
		'sandbox/ready': {
			what: 'the whole service on this machine, from start to its first answer',
			unit: 's',
			goal: 'ours',
			must: 2,
			aim: 1,
			note: 'A process of its own, from its sources, with a certificate authority of its own.',
		},
		'sandbox/memory': {
			what: 'memory with 100,000 messages',
			unit: 'MB',
			goal: 'ours',
			must: 512,
			aim: 512,
		},
		'sandbox/page': {
			what: 'the mails page with 100,000 messages, until it is there whole',
			unit: 's',
			goal: 'ours',
			must: 2,
			aim: 1,
		},
	},
	rounds: 2,

	async start(short) {
		return {
			async ours() {
				const started = performance.now();
				const { found, pid, stop } = await startProgram('sandbox/src/main.ts', {
					ready: /^Service\s+(\S+)\nMails\s+(\S+)/m,
				});
				const [url, page] = found;
				await get(page);
				const ready = seconds(started);
				await sendLetters(url, page, short ? 2 * EACH : 100_000);
				const memory = (await residentMemory(pid, 'VmRSS')) / 2 ** 20;
				const asked = performance.now();
				await get(page);
				const shown = seconds(asked);
				await stop();
				return { 'sandbox/ready': ready, 'sandbox/memory': memory, 'sandbox/page': shown };
			},
		};
	},
});

async function sendLetters(url: string, page: string, letters: number): Promise<void> {
	const { accounts } = JSON.parse(await get(`${page}/_sandbox/accounts`)) as {
		accounts: AccountAccess[];
	};
	const [{ token, certificate, key }] = accounts;
	const recipients = Array.from({ length: EACH }, (_, n) => ({
		email: `never+${n}@recipients.example`,
		firstname: 'Ada',
		lastname: `Martin ${n}`,
	}));
	const body = JSON.stringify({ type: 'LS', body: '<p>Dear reader</p>', recipients });
	await post({
		url: `${url}/messages/bulk_send`,
		amount: { requests: letters / EACH },
		connections: 4,
		tls: { cert: certificate ?? '', key: key ?? '' },
		request: () => ({
			body,
			headers: { 'content-type': 'application/json', 'x-api-token': token },
		}),
	});
}

async function get(url: string): Promise<string> {
	const answer = await fetch(url);
	if (!answer.ok) throw new Error(`${url} was answered ${answer.status}.`);
	return await answer.text();
}

function seconds(since: number): number {
	return (performance.now() - since) / 1000;
}
