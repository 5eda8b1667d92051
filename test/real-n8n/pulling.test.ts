// The trigger pulls, in a real n8n: every event that the receiver acknowledged starts exactly one
// execution, whatever is done to workflow, receiver and credential meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';

import type { StoredWorkflow } from '../n8n/api.ts';
import { readExecutions } from '../n8n/executions.ts';
import { root } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';
import { post, startLoad } from './load.ts';
import { saveScene, type Scene } from './pulling.ts';
import { expectEachOnce } from './witness.ts';
import { node } from './workflows.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(120_000);

const EVENTS_A_SECOND = 100;

useStack({
	ownProcesses: true,
	n8nEnv: { NODE_OPTIONS: `--require ${join(root, 'test', 'n8n', 'later-clock.cjs')}` },
});

/** A published workflow whose events carry its name as their reference. */
async function publish(name: string, scene?: Scene): Promise<StoredWorkflow> {
	const workflow = await saveScene(stack, name, name, scene);
	await stack.activate(workflow);
	return workflow;
}

/** Everything that will arrive has arrived. */
async function eachOnce(
	{ id: workflowId, name: reference }: StoredWorkflow,
	acknowledged: Set<string>,
) {
	await stack.receiverApi.untilDrained(workflowId, 90);
	return await expectEachOnce(stack, { workflowId, reference, acknowledged });
}

it('edited under load, again and again, to start from now: each event starts one execution', async () => {
	const edit = async (batchSize: number) =>
		await publish('Edited', {
			options: { batchSize, maxConcurrentExecutions: 5, whenPublishedAgain: 'startFromNow' },
		});
	const workflow = await edit(20);
	const load = startLoad(stack, 'Edited', EVENTS_A_SECOND);
	for (const batchSize of [30, 35, 40]) {
		await sleep(1000);
		await edit(batchSize);
	}
	const { events, largest } = await eachOnce(workflow, await load.stop());
	expect(events).toBeGreaterThan(EVENTS_A_SECOND * 2);
	expect(largest).toBeGreaterThan(1);
	expect(largest).toBeLessThanOrEqual(40);
});

// That it is told once each time, and what comes then: test/in-process/trigger-failures.test.ts.
it('a receiver that is away for more than ten minutes starts the error workflow', async () => {
	const onError = node('On Error', 'n8n-nodes-base.errorTrigger', 1, {});
	const workflow = await publish('Away long', { beside: [onError] });
	await stack.stopReceiver();
	const told = () =>
		readExecutions(stack.n8nDatabase, workflow.id).filter(({ mode }) => mode === 'error');
	// It counts the minutes from its first try in vain, of which nobody hears.
	await sleep(3000);
	process.kill(stack.n8n.pid, 'SIGUSR2');
	await until('the error workflow', async () => told().length > 0);
	expect(await stack.api.finished(String(told()[0].id))).toMatchObject({
		output: { 'On Error': [{ json: { trigger: { error: expect.anything() } } }] },
	});
	await stack.startReceiver();
	await stack.receiverApi.untilHeld(workflow.id, 1);
	await eachOnce(workflow, await post(stack, 'Away long', 5));
});

it('without the receiver’s database workflows get their events with nobody doing anything', async () => {
	const workflow = await publish('Database gone');
	await eachOnce(workflow, await post(stack, 'Database gone', 5));
	await stack.dropReceiverDatabase();
	// At once: n8n may not have sent the new one a request yet.
	const { id } = workflow;
	const before = readExecutions(stack.n8nDatabase, id).length;
	const events = await post(stack, 'Database gone', 20);
	await stack.receiverApi.untilHeld(id, 1);
	await stack.receiverApi.untilDrained(workflow.id);
	expect(readExecutions(stack.n8nDatabase, id).length - before).toBe(events.size);
});
