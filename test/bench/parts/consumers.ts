// Consumers like n8n: they pull, and acknowledge at once what they get.
import type { PullAnswer, PullRequest } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { MANAGEMENT_TOKEN } from './receiver.ts';

interface Receiver {
	url: string;
}

async function pull({ url }: Receiver, n: number, more: Partial<PullRequest>) {
	const request = { holder: 'n8n-of-the-benchmark', wants: { events: ['*'] }, openMs: 0, ...more };
	const answer = await fetch(`${url}/consumers/n8n~flow-${n}~production/pull`, {
		method: 'POST',
		headers: { authorization: `Bearer ${MANAGEMENT_TOKEN}`, 'content-type': 'application/json' },
		body: JSON.stringify(request satisfies PullRequest),
	});
	if (!answer.ok) throw new Error(`A pull was answered ${answer.status}: ${await answer.text()}`);
	return (await answer.json()) as PullAnswer;
}

/**
 * Consumers that n8n has released: every event is for them, and waits in the log. This measures
 * ingest without delivery.
 */
export async function addConsumers(receiver: Receiver, count: number): Promise<void> {
	for (let n = 0; n < count; n++) {
		await pull(receiver, n, { atOnce: 0 });
		await pull(receiver, n, { leaving: true });
	}
}
