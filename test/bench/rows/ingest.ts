// What the receiver takes: durably, with n8n away, so that the way in is measured and not the way out.
import { publishWebhook } from '../n8n/starters.ts';
import { quantile } from '../measure.ts';
import { addConsumers } from '../parts/consumers.ts';
import { postEvenly, postEvents, type Amount } from '../parts/load.ts';
import { startReceiver } from '../parts/receiver.ts';
import { defineRow } from '../row.ts';

/** A short run counts requests: on a busy machine a timed one might get no answer at all. */
const amount = (short: boolean): Amount => (short ? { requests: 50 } : { seconds: 3 });

/** With consumers that n8n has released: every event is for them, and waits. */
async function startWithConsumers() {
	const receiver = await startReceiver();
	await addConsumers(receiver, 3);
	return receiver;
}

export const INGEST_ROWS = [
	defineRow({
		name: 'ingest-p99',
		peer: null,
		rounds: 5,
		warmUp: true,
		lines: {
			'ingest-p99/full': {
				what: 'p99 of an acknowledged event at 50 connections, as many events as it takes',
				unit: 'ms',
				goal: 'ours',
				must: 25,
				aim: 10,
				note: 'Closed loop, so at the limit of what it takes.',
			},
			'ingest-p99/half': {
				what: 'the same at half as many events a second',
				unit: 'ms',
				goal: 'ours',
				must: 10,
				aim: 5,
				note: 'Open loop, evenly: from when each was due. Without the first half second, in which 50 connections are made.',
			},
		},
		async start(short) {
			const { url } = await startWithConsumers();
			return {
				async ours() {
					const full = await postEvents(url, amount(short));
					const rate = full.perSecond / 2;
					const half = await postEvenly(url, rate, short ? 50 : rate * 3.5);
					if (!short) half.splice(0, rate / 2);
					return { 'ingest-p99/full': full.p99, 'ingest-p99/half': quantile(half, 0.99) };
				},
			};
		},
	}),
	defineRow({
		name: 'ingest-n8n',
		peer: "n8n's Webhook node, which answers at once, at 20 or 50 connections",
		lines: {
			'ingest-n8n': {
				what: 'durable ingest: HMAC, parsed, committed with fsync, 3 consumers that want it, 50 connections',
				unit: 'events/s',
				goal: 'ratio',
				must: 100,
				aim: 250,
				note: 'Of 20 and 50 connections to n8n, the better in each round: more only wait for each other.',
			},
		},
		rounds: 5,
		warmUp: true,
		n8n: true,
		async start(short) {
			const receiver = await startWithConsumers();
			const webhook = await publishWebhook('ingest', { followUp: false });
			const rate = async ({ url }: { url: string }, connections: number) =>
				(await postEvents(url, amount(short), connections)).perSecond;
			return {
				ours: async () => ({ 'ingest-n8n': await rate(receiver, 50) }),
				theirs: async () => ({
					'ingest-n8n': Math.max(await rate(webhook, 20), await rate(webhook, 50)),
				}),
			};
		},
	}),
];
