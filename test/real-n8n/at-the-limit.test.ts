// n8n at its concurrency limit: it holds what it cannot run yet, and drops none of it.
import { setTimeout as sleep } from 'node:timers/promises';

import { readExecutions } from '../n8n/executions.ts';
import { until } from '../n8n/poll.ts';
import { isNightly, itAtNight } from '../support/ring.ts';
import { asleep, emit, untilAsleep, waitOf } from './awaiting.ts';
import { pairs, publishTwoWaits, report, startDesk, takeCapacity, type Desk } from './capacity.ts';
import { post } from './load.ts';
import { saveScene } from './pulling.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(400_000);

let desk: Desk;

useStack({
	ownProcesses: true,
	n8nEnv: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' },
});

beforeAll(async () => {
	desk = await startDesk();
}, 300_000);

afterAll(async () => {
	desk?.close();
}, 60_000);

const publishTwo = (name: string) => publishTwoWaits(stack, desk, name);

const midRuns = (id: string) => desk.reports.filter((one) => one === id).length;

async function waitIdOf(id: string): Promise<string> {
	return (await asleep(stack, id)).waitId;
}

async function isInProgress(waitId: string): Promise<boolean> {
	return (await waitOf(stack, waitId)).state === 'in-hand';
}

/** Until each sleeps in Second, and stays there although all that was open has been let in. */
async function untilSecond(ids: string[], firstWaits: string[]): Promise<void> {
	for (const [n, id] of ids.entries()) {
		await until('it to sleep in Second', async () => {
			if (midRuns(id) === 0) return false;
			await untilAsleep(stack, id);
			return (await waitOf(stack, firstWaits[n])).state === 'done';
		});
	}
}

/** At night longer than any lease, and than proxies and senders have patience. */
const TAKEN_SECONDS = isNightly ? 65 : 3;

it(`all of it taken for ${TAKEN_SECONDS} s: each execution goes on once, from First and from Second`, async () => {
	const { workflow, fallAsleep } = await publishTwo('Taken');
	const all = pairs(3);
	const ids = await fallAsleep(...all.map((one) => files.offer([one])));
	const waits = await Promise.all(ids.map(waitIdOf));
	await takeCapacity(stack, desk, 1);
	await emit(stack, 'opened', ...all.map(({ messageId }) => messageId));
	for (const wait of waits) await until('it to be in hand', async () => await isInProgress(wait));
	await sleep(TAKEN_SECONDS * 1000);
	for (const wait of waits) {
		expect(await waitOf(stack, wait)).toMatchObject({ state: 'in-hand', attempts: 1 });
	}
	expect(ids.map(midRuns)).toEqual([0, 0, 0]);
	desk.release();
	await untilSecond(ids, waits);
	expect(ids.map(midRuns)).toEqual([1, 1, 1]);
	await emit(stack, 'opened', ...all.map(({ then }) => then));
	for (const id of ids)
		expect(await stack.api.finished(id, 120_000)).toMatchObject({ error: null });
	expect(ids.map(midRuns)).toEqual([1, 1, 1]);
	expect(await stack.api.executionIds(workflow.id)).toEqual(ids);
	await stack.api.deactivate(workflow.id);
});

it('n8n is killed while it holds what it accepted: the next process accepts it, and it goes on once', async () => {
	const { workflow, fallAsleep } = await publishTwo('Killed');
	const all = pairs(3);
	const ids = await fallAsleep(...all.map((one) => files.offer([one])));
	const waits = await Promise.all(ids.map(waitIdOf));
	const fill = await takeCapacity(stack, desk, 1);
	await emit(stack, 'opened', ...all.map(({ messageId }) => messageId));
	for (const wait of waits) await until('it to be in hand', async () => await isInProgress(wait));
	await stack.n8n.kill();
	await until('what was held to be gone', async () => desk.held.size === 0);
	await stack.passLeases();
	await stack.startN8n();
	await fill();
	expect(ids.map(midRuns)).toEqual([0, 0, 0]);
	for (const wait of waits) {
		await until('it to be in hand again', async () => await isInProgress(wait), 120);
	}
	desk.release();
	await untilSecond(ids, waits);
	expect(ids.map(midRuns)).toEqual([1, 1, 1]);
	await stack.api.deactivate(workflow.id);
});

itAtNight('archived while its executions wait: each runs once', async () => {
	const name = 'Archived';
	const workflow = await saveScene(stack, name, name, { nodes: [report(desk, 'Report')] });
	const executions = () => readExecutions(stack.n8nDatabase, workflow.id);
	const statuses = () => executions().map(({ status }) => status);
	await stack.activate(workflow);
	await takeCapacity(stack, desk, 1);
	await post(stack, name, 3);
	await until('all to be stored', async () => executions().length === 3);
	await stack.api.archive(workflow.id);
	await stack.receiverApi.untilHeld(workflow.id, 0);
	expect(statuses()).toEqual(['new', 'new', 'new']);
	desk.release();
	await until('all to be settled', async () => {
		const path = '/batches?state=done&limit=100';
		const { data } = await stack.receiverApi.call<{ data: Array<{ consumer: string }> }>(
			'GET',
			path,
		);
		return data.filter(({ consumer }) => consumer.includes(`~${workflow.id}~`)).length === 3;
	});
	expect(statuses()).toEqual(['success', 'success', 'success']);
	expect(executions().map(({ id }) => midRuns(String(id)))).toEqual([1, 1, 1]);
});
