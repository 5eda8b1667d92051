// Executions that sleep in Await Outcome while everything around them is killed, restored and
// changed, in a real n8n. Which outputs they leave by: await-outcome.test.ts.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { until } from '../n8n/poll.ts';
import { freePort } from '../n8n/port.ts';
import {
	asleep,
	AWAIT,
	awaitOutcome,
	BEHIND,
	brief,
	emit,
	letters,
	publishAwaiting,
	saveAwaiting,
	waitOf,
	woken,
} from './awaiting.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(200_000);

useStack({ ownProcesses: true });

/** Ids of all published workflows; each pulls wake-ups for all. */
const published: string[] = [];

async function publish(name: string, wait = awaitOutcome()) {
	const awaiting = await publishAwaiting(stack, name, wait);
	published.push(awaiting.workflow.id);
	return awaiting;
}

/** Letters for that many executions, one each. */
const oneEach = (count: number) =>
	letters(...Array.from({ length: count }, (_, n) => `letter ${n}`));
const offers = (all: object[]) => all.map((letter) => files.offer([letter]));
const idsOf = (all: Array<{ messageId: string }>) => all.map(({ messageId }) => messageId);

async function waitsOf(executions: string[]): Promise<string[]> {
	const all = await Promise.all(executions.map(async (id) => await asleep(stack, id)));
	return all.map(({ waitId }) => waitId);
}

async function untilSettled(waitIds: string[]): Promise<unknown[]> {
	return await until('the waits to be settled', async () => {
		const waits = await Promise.all(waitIds.map((id) => waitOf(stack, id)));
		const states = waits.map(({ state }) => state);
		return (
			states.every((state) => !['open', 'queued', 'in-hand'].includes(String(state))) && states
		);
	});
}

it('over kills of n8n and of the receiver, wherever outcomes and deadlines come in between', async () => {
	const [a, b, c, d, e] = letters('a', 'b', 'c', 'd', 'e');
	const others = oneEach(3);
	const { workflow, fallAsleep } = await publish('Killed');
	const [id, ...more] = await fallAsleep(files.offer([a, b]), ...offers(others));
	const byHand = await stack.api.start(await saveAwaiting(stack, 'By hand', files.offer([c])));
	const soon = awaitOutcome({
		deadlineMode: 'at',
		deadlineAt: '={{ $now.plus({ seconds: 20 }).toISO() }}',
	});
	const [late] = await (await publish('Deadline away', soon)).fallAsleep(files.offer([d, e]));
	const waitIds = await waitsOf([id, ...more, byHand, late]);
	await stack.n8n.kill();
	await emit(stack, 'opened', b.messageId, c.messageId, d.messageId);
	await stack.killReceiver();
	await stack.startReceiver();
	await emit(stack, 'failed', a.messageId, ...idsOf(others));
	const lateWait = waitIds.at(-1) as string;
	await until('the deadline', async () => (await waitOf(stack, lateWait)).state === 'queued');
	await stack.killReceiver();
	await stack.startN8n();
	await stack.startReceiver();
	expect(brief(await woken(stack, id, waitIds[0]))).toEqual([
		['Opened', 'b', 'opened'],
		['Expired', 'a', 'failed'],
	]);
	for (const [n, { name }] of others.entries()) {
		const execution = await woken(stack, more[n], waitIds[n + 1]);
		expect(brief(execution)).toEqual([['Expired', name, 'failed']]);
	}
	expect(brief(await woken(stack, byHand))).toEqual([['Opened', 'c', 'opened']]);
	expect(brief(await woken(stack, late, lateWait))).toEqual([
		['Opened', 'd', 'opened'],
		['Pending', 'e', 'none'],
	]);
	expect(await untilSettled(waitIds)).toEqual(waitIds.map(() => 'done'));
	expect(await stack.api.executionIds(workflow.id)).toEqual([id, ...more]);
});

it('n8n and the receiver killed while they wake 20: each goes on once, none sleeps on', async () => {
	const all = oneEach(20);
	const { workflow, fallAsleep } = await publish('Killed at waking');
	const ids = await fallAsleep(...offers(all));
	const waitIds = await waitsOf(ids);
	const ended = async () => {
		const executions = await Promise.all(ids.map((id) => stack.api.execution(id)));
		return executions.filter(({ status }) => status !== 'waiting').length;
	};
	await emit(stack, 'opened', ...idsOf(all));
	await until('some to be awake', async () => (await ended()) >= 3);
	await stack.killReceiver();
	await stack.startReceiver();
	await until('more to be awake', async () => (await ended()) >= 6);
	await stack.n8n.kill();
	await stack.passLeases();
	await stack.startN8n();
	for (const [n, id] of ids.entries()) {
		const execution = await woken(stack, id, waitIds[n]);
		// Executions that ran when n8n was killed have crashed, by its own account; none restarts.
		if (execution.status === 'crashed') continue;
		expect(execution).toMatchObject({ status: 'success', error: null });
		expect(brief(execution)).toEqual([['Opened', all[n].name, 'opened']]);
	}
	// If the report of a success was lost, n8n is asked again and says itself that it has finished.
	const states = await Promise.all(waitIds.map(async (id) => (await waitOf(stack, id)).state));
	for (const state of states) expect(['done', 'queued', 'in-hand']).toContain(state);
	expect(await stack.api.executionIds(workflow.id)).toEqual(ids);
	// Its clock is ahead, and would take the next deadline for past.
	await stack.restartReceiver();
});

it('the receiver has another token and another address while they sleep: all wake, without a restart of n8n', async () => {
	const all = oneEach(5);
	const { fallAsleep } = await publish('New token');
	const ids = await fallAsleep(...offers(all));
	const { port } = new URL(stack.receiver.url);
	const replace = async (managementToken: string, PORT: string) => {
		await stack.restartReceiver({ MANAGEMENT_TOKEN: managementToken, PORT });
		await stack.saveCredentials({ receiverToken: managementToken });
	};
	try {
		await stack.restartReceiver({ MANAGEMENT_TOKEN: 'new-token-in-place-of-the-lost-one' });
		await emit(stack, 'opened', ...idsOf(all));
		await replace('new-token-in-place-of-the-lost-one', String(await freePort()));
		for (const [n, id] of ids.entries()) {
			expect(brief(await woken(stack, id))).toEqual([['Opened', all[n].name, 'opened']]);
		}
	} finally {
		await replace(stack.managementToken, port);
	}
});

it('edited and published while it sleeps: it goes on as the workflow that it was', async () => {
	const [a, b] = letters('a', 'b');
	const { workflow, fallAsleep } = await publish('Edited');
	const [first] = await fallAsleep(files.offer([a]));
	const { waitId } = await asleep(stack, first);
	const renamed = JSON.stringify({ ...workflow, name: 'Edited' }).replaceAll(AWAIT, 'Renamed');
	await stack.api.saveWorkflow(JSON.parse(renamed));
	await stack.api.activate(workflow.id);
	await emit(stack, 'opened', a.messageId);
	expect(brief(await woken(stack, first, waitId))).toEqual([['Opened', 'a', 'opened']]);

	// The node is gone completely, and with it the workflow's consumer.
	const [second] = await fallAsleep(files.offer([b]));
	const without = {
		...workflow,
		nodes: workflow.nodes.filter(({ name }) => name !== AWAIT),
		connections: {},
	};
	await stack.api.saveWorkflow(without);
	await stack.api.activate(workflow.id);
	await emit(stack, 'failed', b.messageId);
	expect(brief(await woken(stack, second))).toEqual([['Expired', 'b', 'failed']]);
});

it('unpublished while it sleeps: another workflow that is published wakes it, or it itself when it is again', async () => {
	const [a, b] = letters('a', 'b');
	const { workflow, fallAsleep } = await publish('Unpublished');
	const [first, second] = await fallAsleep(files.offer([a]), files.offer([b]));
	const [, waitId] = await waitsOf([first, second]);
	await stack.api.deactivate(workflow.id);
	await emit(stack, 'opened', a.messageId);
	expect(brief(await woken(stack, first))).toEqual([['Opened', 'a', 'opened']]);

	for (const id of published) await stack.api.deactivate(id);
	// Executions that fell asleep here may still be pulling in this process.
	await stack.restartN8n();
	await emit(stack, 'opened', b.messageId);
	await until('it to be ready', async () => (await waitOf(stack, waitId)).state === 'queued');
	expect(await stack.api.execution(second)).toMatchObject({ status: 'waiting' });
	await stack.api.activate(workflow.id);
	expect(brief(await woken(stack, second, waitId))).toEqual([['Opened', 'b', 'opened']]);
	for (const id of published) await stack.api.activate(id);
});

it('the receiver is restored from a backup: who sleeps wakes, who has woken is left alone', async () => {
	const [a, b] = letters('a', 'b');
	const { workflow, fallAsleep } = await publish('Restored');
	const [first, second] = await fallAsleep(files.offer([a]), files.offer([b]));
	const waitIds = await waitsOf([first, second]);
	const file = join(stack.folder, 'receiver.db');
	await stack.stopReceiver();
	await copyFile(file, `${file}.backup`);
	await stack.startReceiver();
	await emit(stack, 'opened', a.messageId);
	const before = await woken(stack, first, waitIds[0]);
	await stack.stopReceiver();
	await copyFile(`${file}.backup`, file);
	await stack.startReceiver();
	// The service repeats what was lost with the database.
	await emit(stack, 'opened', a.messageId, b.messageId);
	expect(brief(await woken(stack, second, waitIds[1]))).toEqual([['Opened', 'b', 'opened']]);
	await until('an attempt', async () => Number((await waitOf(stack, waitIds[0])).attempts) > 0);
	expect(await stack.api.execution(first)).toEqual(before);
	expect(await stack.api.executionIds(workflow.id)).toEqual([first, second]);
});

it('the receiver has lost its database: n8n wakes it after the deadline, and nothing passes for accepted', async () => {
	const all = letters('a', 'b', 'c');
	const { fallAsleep } = await publish('Lost');
	const [id] = await fallAsleep(files.offer(all));
	await stack.dropReceiverDatabase();
	await emit(stack, 'opened', ...idsOf(all));
	// Executions that fall asleep from now on are known again.
	const [d] = letters('d');
	const [later] = await fallAsleep(files.offer([d]));
	await emit(stack, 'opened', d.messageId);
	expect(brief(await woken(stack, later))).toEqual([['Opened', 'd', 'opened']]);
	expect((await stack.api.execution(id)).status).toBe('waiting');

	await stack.n8n.stop();
	// As if deadline and grace period had passed.
	const database = new DatabaseSync(stack.n8nDatabase);
	const past = new Date(Date.now() - 60_000).toISOString().replace('T', ' ').replace('Z', '');
	const { changes } = database
		.prepare('UPDATE execution_entity SET waitTill = ? WHERE id = ?')
		.run(past, id);
	database.close();
	expect(Number(changes)).toBe(1);
	await stack.startN8n();
	const execution = await woken(stack, id);
	expect(BEHIND.map((name) => execution.runs[name]?.length ?? 0)).toEqual([0, 0, 0, 0, 1]);
	expect(brief(execution).map(([by, paired]) => [by, paired])).toEqual([
		['Pending', 'a'],
		['Pending', 'b'],
		['Pending', 'c'],
	]);
});
