// Consumers like n8n: they pull, and acknowledge at once what they get.
import type {
	BatchSettlement,
	PullAnswer,
	PullRequest,
} from '../../../webhook-receiver/src/core/pull-contract.ts';
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

export interface Drain {
	consumers: number;
	batchSize: number;
	atOnce: number;
	/** Until each consumer has had this many. */
	events: number;
}

/**
 * Lets consumers pull everything that waits for them, spread over the receivers.
 *
 * @returns events a second, without the first tenth
 */
export async function drain(receivers: readonly Receiver[], order: Drain): Promise<number> {
	const wants = { events: ['*'], batchSize: order.batchSize };
	const warmUp = (order.events * order.consumers) / 10;
	let [all, counted, startedAt] = [0, 0, 0];
	const note = (events: number) => {
		all += events;
		if (startedAt > 0) counted += events;
		else if (all >= warmUp) startedAt = performance.now();
	};
	const consume = async (n: number) => {
		const receiver = receivers[n % receivers.length];
		let settle: BatchSettlement[] = [];
		for (let got = 0; got < order.events; ) {
			const more = { wants, settle, atOnce: order.atOnce, openMs: 1_000 };
			const { batches } = await pull(receiver, n, more);
			settle = batches.map(({ id }) => ({ batch: id, outcome: 'ack' }));
			const events = batches.reduce((sum, batch) => sum + batch.events.length, 0);
			got += events;
			note(events);
		}
		await pull(receiver, n, { wants, settle, leaving: true });
	};
	await Promise.all(Array.from({ length: order.consumers }, (_, n) => consume(n)));
	return (counted * 1_000) / (performance.now() - startedAt);
}
