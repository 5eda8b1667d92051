import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

import type { BatchSettlement, PullAnswer } from '../../webhook-receiver/src/core/pull-contract.ts';
import type { Drain, Drained } from './puller.ts';
import { pullOf } from './receiver.ts';
import { answer } from './worker.ts';

const HOLD_MS = 60_000;

const dispatcher = new Agent({ connections: 10_000, bodyTimeout: 0, headersTimeout: 0 });

answer({ drain, hold });

async function drain(order: Drain): Promise<Drained> {
	let all = 0;
	let counted = 0;
	let startedAt = 0;
	const note = (events: number) => {
		all += events;
		if (startedAt > 0) counted += events;
		else if (all >= order.warmUp) startedAt = performance.now();
	};
	const consume = async (n: number) => {
		const url = order.urls[n % order.urls.length] ?? '';
		const wants = { events: ['*'], batchSize: order.batchSize };
		let settle: BatchSettlement[] = [];
		for (let got = 0; got < order.events; ) {
			const more = { wants, settle, atOnce: order.atOnce, holdMs: 1_000 };
			const { batches } = await pull(url, order.token, `n8n~flow-${n}~production`, more);
			settle = batches.map(({ id }) => ({ batch: id, outcome: 'ack' }));
			for (const { events } of batches) {
				got += events.length;
				note(events.length);
			}
		}
		await pull(url, order.token, `n8n~flow-${n}~production`, { wants, settle, leaving: true });
	};
	await Promise.all(Array.from({ length: order.consumers }, (_, n) => consume(n)));
	return { events: counted, milliseconds: performance.now() - startedAt };
}

/** Resolves when all are held: the receiver has had time to answer at once, and did not. */
async function hold({ url, token, pulls }: { url: string; token: string; pulls: number }) {
	const keep = async (n: number) => {
		for (;;) await pull(url, token, `n8n~flow-${n}~production`, { holdMs: HOLD_MS });
	};
	for (let n = 0; n < pulls; n++) {
		void keep(n);
		if (n % 50 === 49) await sleep(20);
	}
	await sleep(2_000);
}

async function pull(
	url: string,
	token: string,
	key: string,
	more: Parameters<typeof pullOf>[0],
): Promise<PullAnswer> {
	const { statusCode, body } = await request(`${url}/consumers/${key}/pull`, {
		method: 'POST',
		dispatcher,
		headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
		body: JSON.stringify(pullOf(more)),
	});
	if (statusCode !== 200)
		throw new Error(`A pull was answered ${statusCode}: ${await body.text()}`);
	return (await body.json()) as PullAnswer;
}
