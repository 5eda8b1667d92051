// Where n8n lets executions sleep in Await Outcome: loops, sub-workflows, and one that is stopped. By which output
// they leave: examples.test.ts; how they survive restarts and changes around them: sleepers.test.ts.
import { until } from '../n8n/poll.ts';
import {
	asleep,
	AWAIT,
	awaitOutcome,
	BEHIND,
	brief,
	emit,
	letters,
	saveAwaiting,
	to,
	waitOf,
	woken,
} from './awaiting.ts';
import { node, START } from './workflows.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(200_000);

useStack();

it('two rounds of a loop: each waits for its own, and takes nothing for the other', async () => {
	const [a, b] = letters('a', 'b');
	const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 1, options: {} });
	const workflow = await saveAwaiting(
		stack,
		'Loop',
		files.offer([a, b]),
		awaitOutcome(),
		(nodes, connections) => {
			nodes.push({ ...loop, position: [300, 200] });
			connections.Items = { main: [to('Loop')] };
			connections.Loop = { main: [[], to(AWAIT)] };
			for (const name of BEHIND) connections[name] = { main: [to('Loop')] };
		},
	);
	const id = await stack.api.start(workflow);
	const first = await asleep(stack, id);
	await emit(stack, 'opened', a.messageId);
	await until('the second round', async () => {
		if ((await stack.api.execution(id)).status !== 'waiting') return null;
		return (await asleep(stack, id)).waitId !== first.waitId;
	});
	expect((await stack.api.execution(id)).status).toBe('waiting');
	await emit(stack, 'failed', b.messageId);
	expect(brief(await woken(stack, id))).toEqual([
		['Opened', 'a', 'opened'],
		['Expired', 'b', 'failed'],
	]);
});

it('an execution that is stopped meanwhile is left alone', async () => {
	const [a] = letters('a');
	const workflow = await saveAwaiting(stack, 'Stopped', files.offer([a]), awaitOutcome());
	const id = await stack.api.start(workflow);
	const { waitId } = await asleep(stack, id);
	await stack.api.stop(id);
	await emit(stack, 'opened', a.messageId);
	await until('an attempt', async () => Number((await waitOf(stack, waitId)).attempts) > 0);
	const execution = await stack.api.execution(id);
	expect(execution.status).toBe('canceled');
	expect(brief(execution)).toEqual([]);
});

it('in a sub-workflow: it sleeps and is woken there, and the caller gets what comes out', async () => {
	const [a, b] = letters('a', 'b');
	const called = node('Start', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
		inputSource: 'passthrough',
	});
	const child = await saveAwaiting(stack, 'Child', files.offer([a, b]), awaitOutcome(), (nodes) => {
		nodes.splice(0, 1, called);
	});
	await stack.api.activate(child.id);
	const call = node('Call', 'n8n-nodes-base.executeWorkflow', 1.2, {
		workflowId: { __rl: true, mode: 'id', value: child.id },
		options: { waitForSubWorkflow: true },
	});
	const parent = await stack.api.saveWorkflow({
		name: 'Parent',
		nodes: [START, { ...call, position: [220, 0] }],
		connections: { Start: { main: [to('Call')] } },
		settings: { executionOrder: 'v1', saveManualExecutions: true },
	});
	const caller = await stack.api.start(parent);
	const id = await until('the child', async () => (await stack.api.executionIds(child.id))[0]);
	const { waitId } = await asleep(stack, id);
	expect((await stack.api.execution(caller)).status).toBe('waiting');
	await emit(stack, 'opened', a.messageId, b.messageId);
	expect(brief(await woken(stack, id, waitId))).toEqual([
		['Opened', 'a', 'opened'],
		['Opened', 'b', 'opened'],
	]);
	const { status, output } = await woken(stack, caller);
	expect([status, output.Call.map(({ json: { name } }) => name)]).toEqual(['success', ['a', 'b']]);
});
