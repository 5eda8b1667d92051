// A mailing whose events come far faster than n8n runs executions: does n8n stay as it is?
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

import type { StoredConsumer } from '../../webhook-receiver/src/core/pull-contract.ts';
import type { Round } from './benchmark.ts';
import { chart } from './chart.ts';
import { signedEvent } from './event.ts';
import { markdownTable, plainTable, readable } from './figures.ts';
import { CONNECTIONS, withLoad } from './ingest.ts';
import { n8nStack } from './n8n-stack.ts';
import { publishTrigger, unpublish } from './n8n-webhooks.ts';
import { startReceiver } from './receiver.ts';
import type { ReceiverProcess } from './receiver.ts';
import { residentBytes } from './resident.ts';
import { writePart, writePicture } from './results.ts';

const SAMPLE_MS = 5_000;
const KINDS = ['aes_sent', 'aes_received', 'aes_opened'];
const AT_ONCE = 5;

interface Sample {
	/** Minutes since the mailing began. */
	minute: number;
	n8nMb: number;
	receiverMb: number;
	/** Events that wait in the receiver's log. */
	waiting: number;
	/** Executions that n8n has begun and not ended. */
	running: number;
	ended: number;
}

/** Three events for each letter, posted as fast as they go in; one execution for each. */
export async function soak(letters: number, { short, report }: Round): Promise<void> {
	if (!(letters > 0)) throw new Error('Name a number of letters, such as 20000.');
	await withLoad(async (_load, started) => {
		const { stack, database } = await n8nStack();
		const receiver = started(await startReceiver());
		const trigger = await publishTrigger(stack, receiver, { batchSize: 1, atOnce: AT_ONCE });
		const executions = new DatabaseSync(database, { readOnly: true });
		try {
			const events = letters * KINDS.length;
			const began = Date.now();
			const posted = postMailing(receiver, letters);
			const samples: Sample[] = [];
			for (let ended = 0; ended < events; ) {
				const sample = await look(stack.n8n.pid, receiver, executions, trigger.workflow.id, began);
				samples.push(sample);
				ended = sample.ended;
				report(
					`${sample.minute.toFixed(1)} min: n8n ${readable(sample.n8nMb)} MB, receiver ${readable(sample.receiverMb)} MB, ${sample.waiting} waiting, ${sample.running} running, ${ended} of ${events} ended`,
				);
				if (ended < events) await sleep(short ? 500 : SAMPLE_MS);
			}
			await write(samples, { letters, events, postedMs: await posted }, short);
		} finally {
			executions.close();
			await unpublish(stack, trigger);
		}
	});
}

/** @returns milliseconds until the last event was acknowledged */
async function postMailing(receiver: ReceiverProcess, letters: number): Promise<number> {
	const began = Date.now();
	const dispatcher = new Agent({ connections: CONNECTIONS });
	const orders = KINDS.flatMap((event) =>
		Array.from({ length: letters }, (_, n) => ({ event, messageId: String(n).padStart(12, '0') })),
	).values();
	const post = async () => {
		for (const order of orders) {
			const answer = await request(`${receiver.url}/events`, {
				...{ method: 'POST', dispatcher },
				...signedEvent(order),
			});
			await answer.body.dump();
			if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}.`);
		}
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, post));
	await dispatcher.close();
	return Date.now() - began;
}

async function look(
	pid: number,
	receiver: ReceiverProcess,
	executions: DatabaseSync,
	workflow: string,
	began: number,
): Promise<Sample> {
	const answer = await receiver.manage('GET', '/consumers');
	const { data } = (await answer.json()) as { data: StoredConsumer[] };
	const counted = executions
		.prepare(
			`SELECT count(*) AS started, count(stoppedAt) AS ended FROM execution_entity
			WHERE workflowId = ?`,
		)
		.get(workflow) as { started: number; ended: number };
	return {
		minute: (Date.now() - began) / 60_000,
		n8nMb: residentBytes(pid) / 2 ** 20,
		receiverMb: residentBytes(receiver.pid) / 2 ** 20,
		waiting: data.reduce((sum, { behind, queued }) => sum + behind + queued, 0),
		running: counted.started - counted.ended,
		ended: counted.ended,
	};
}

async function write(
	samples: readonly Sample[],
	run: { letters: number; events: number; postedMs: number },
	short: boolean,
): Promise<void> {
	const tenth = Math.max(1, Math.floor(samples.length / 10));
	const mean = (some: readonly Sample[], read: (sample: Sample) => number) =>
		some.map(read).reduce((sum, one) => sum + one, 0) / some.length;
	const figures = [
		['memory of n8n, MB', ({ n8nMb }: Sample) => n8nMb],
		['memory of the receiver, MB', ({ receiverMb }: Sample) => receiverMb],
		['executions running', ({ running }: Sample) => running],
	] as const;
	const table = [
		['', 'first tenth', 'last tenth', 'highest'],
		...figures.map(([name, read]) => [
			name,
			readable(mean(samples.slice(0, tenth), read)),
			readable(mean(samples.slice(-tenth), read)),
			readable(Math.max(...samples.map(read))),
		]),
	];
	const minutes = samples.at(-1)?.minute ?? 0;
	const told = `A mailing of ${run.letters.toLocaleString('en')} letters: ${run.events.toLocaleString('en')} events acknowledged within ${readable(run.postedMs / 1_000)} s, each of them one execution, ${AT_ONCE} at once; the last ended after ${readable(minutes)} minutes (${readable(run.events / minutes / 60)} a second).`;
	console.log(`\n${told}\n\n${plainTable(table)}`);
	if (short) return;
	const line = (name: string, read: (sample: Sample) => number) => ({
		name,
		points: samples.map((sample) => [sample.minute, read(sample)] as const),
	});
	writePicture(
		'soak.svg',
		chart([
			{
				...{ title: 'Memory', xLabel: 'minutes', unit: 'MB' },
				series: [
					line('n8n', ({ n8nMb }) => n8nMb),
					line('receiver', ({ receiverMb }) => receiverMb),
				],
			},
			{
				...{ title: 'Executions running', xLabel: 'minutes', unit: '' },
				series: [line('running', ({ running }) => running)],
			},
			{
				...{ title: 'Events waiting', xLabel: 'minutes', unit: '' },
				series: [line('waiting', ({ waiting }) => waiting)],
			},
		]),
	);
	const picture = '![memory, executions and events that wait](soak.svg)';
	await writePart('soak', `${told}\n\n${picture}\n\n${markdownTable(table)}`);
}
