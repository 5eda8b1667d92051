// One of n8n and the receiver restored from a backup, with the other ahead of it. What n8n has run since does
// not run by itself, nor pass for another; all of it does on request. What n8n has run that the receiver has
// forgotten does not run twice, if it was on its way by then. Sleepers and the receiver: sleepers.test.ts.
import { copyFile, cp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { until } from '../n8n/poll.ts';
import { asleep, brief, emit, letters, publishAwaiting, waitOf, woken } from './awaiting.ts';
import { post } from './load.ts';
import { NOTE, pause, saveScene } from './pulling.ts';
import { expectEachOnce } from './witness.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(200_000);

useStack({ ownProcesses: true });

let backup: string;
async function backUp(): Promise<void> {
	const home = dirname(stack.n8nDatabase);
	backup = `${home}-backup`;
	await stack.n8n.stop();
	await cp(home, backup, { recursive: true });
	await stack.startN8n();
}

async function restore(): Promise<void> {
	const home = dirname(stack.n8nDatabase);
	await stack.n8n.stop();
	await rm(home, { recursive: true });
	await rename(backup, home);
	await stack.startN8n();
}

it('the receiver: n8n starts nothing twice of what was on its way, and goes on with what comes', async () => {
	const reference = 'Forgotten';
	const nodes = [pause(15), NOTE];
	const workflow = await saveScene(stack, reference, reference, { nodes });
	await stack.activate(workflow);
	const { id: workflowId } = workflow;
	const before = await post(stack, reference, 3);
	await until('n8n to have them', async () => {
		return (await stack.api.executionIds(workflowId)).length === 3;
	});
	const file = join(stack.folder, 'receiver.db');
	await stack.stopReceiver();
	await copyFile(file, `${file}.backup`);
	await stack.startReceiver();
	await stack.receiverApi.untilHeld(workflowId, 1);
	await stack.receiverApi.untilDrained(workflowId);
	const forgotten = await post(stack, reference, 2);
	await stack.receiverApi.untilDrained(workflowId);
	await stack.stopReceiver();
	await copyFile(`${file}.backup`, file);
	await stack.startReceiver();
	// The process that started them still knows them; the next one has n8n's database alone.
	await stack.restartN8n();
	await stack.receiverApi.untilHeld(workflowId, 1);
	const since = await post(stack, reference, 2);
	await stack.receiverApi.untilDrained(workflowId);
	expect(await stack.api.executionIds(workflowId)).toHaveLength(
		before.size + forgotten.size + since.size,
	);
	const log = await stack.receiverApi.events();
	const ids = log.filter(({ fileReference }) => fileReference === reference);
	expect(ids).toHaveLength(before.size + since.size);
});

it('n8n: executions that events have started since', async () => {
	const reference = 'Restored';
	const workflow = await saveScene(stack, reference, reference);
	await stack.activate(workflow);
	const { id: workflowId } = workflow;
	const drained = async () => {
		await stack.receiverApi.untilHeld(workflowId, 1);
		await stack.receiverApi.untilDrained(workflowId);
		const { data } = await stack.receiverApi.call<{ data: Array<{ id: string }> }>(
			'GET',
			'/batches?state=done&limit=500',
		);
		return data.map(({ id }) => id);
	};
	const before = await post(stack, reference, 3);
	const kept = await drained();
	await backUp();
	const since = await post(stack, reference, 3);
	const lost = (await drained()).filter((id) => !kept.includes(id));
	await restore();
	expect(new Set(await drained())).toEqual(new Set([...kept, ...lost]));
	const claim = { workflowId, reference, acknowledged: new Set([...before, ...since]) };
	const { executions } = await expectEachOnce(stack, { ...claim, except: since });
	expect(executions).toHaveLength(3);
	for (const id of lost) await stack.receiverApi.call('POST', `/batches/${id}/retry`);
	await drained();
	await expectEachOnce(stack, claim);
});

it('n8n: executions that have woken, and others that have fallen asleep since', async () => {
	const [a, b, c] = letters('a', 'b', 'c');
	const { workflow, fallAsleep } = await publishAwaiting(stack, 'Asleep');
	const [first] = await fallAsleep(files.offer([a]));
	const { waitId } = await asleep(stack, first);
	await backUp();
	await emit(stack, 'opened', a.messageId);
	await woken(stack, first, waitId);
	const [lost] = await fallAsleep(files.offer([b]));
	const { waitId: lostWait } = await asleep(stack, lost);
	await restore();

	// n8n gives it the number of the one that is lost.
	const [third] = await fallAsleep(files.offer([c]));
	expect(third).toBe(lost);
	await emit(stack, 'opened', b.messageId);
	await until('an attempt', async () => Number((await waitOf(stack, lostWait)).attempts) > 0);
	const { batch } = await waitOf(stack, waitId);
	await stack.receiverApi.call('POST', `/batches/${String(batch)}/retry`);
	expect(brief(await woken(stack, first, waitId))).toEqual([['Opened', 'a', 'opened']]);
	expect((await stack.api.execution(third)).status).toBe('waiting');
	await emit(stack, 'opened', c.messageId);
	expect(brief(await woken(stack, third))).toEqual([['Opened', 'c', 'opened']]);
	expect(await stack.api.executionIds(workflow.id)).toEqual([first, third]);
});
