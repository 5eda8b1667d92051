// The trigger pulls, in a real n8n: every event that the receiver acknowledged starts exactly one
// execution, whatever is done to workflow, receiver and credential meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';

import type { StoredWorkflow } from '../n8n/api.ts';
import { readExecutions } from '../n8n/executions.ts';
import { root } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';
import { byReceiver } from '../support/sandbox.ts';
import { post, startLoad } from './load.ts';
import { saveScene, type Scene } from './pulling.ts';
import { startReceiverProxy, type ReceiverProxy } from './receiver-proxy.ts';
import { expectEachOnce } from './witness.ts';
import { node } from './workflows.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(120_000);

const EVENTS_A_SECOND = 100;

let proxy: ReceiverProxy;

useStack({
	ownProcesses: true,
	n8nEnv: { NODE_OPTIONS: `--require ${join(root, 'test', 'n8n', 'later-clock.cjs')}` },
});

beforeAll(async () => {
	proxy = await startReceiverProxy(() => stack.receiver.url);
}, 300_000);

afterAll(async () => {
	await proxy?.close();
}, 120_000);

/** A published workflow whose events carry its name as their reference. */
async function publish(name: string, scene?: Scene, reference = name): Promise<StoredWorkflow> {
	const workflow = await saveScene(stack, name, reference, scene);
	await stack.activate(workflow);
	return workflow;
}

/** A separate credential, for changes that affect only one workflow. */
async function saveCredential(name: string, receiverUrl: string, managementToken: string) {
	const data = byReceiver(receiverUrl, managementToken);
	const id = await stack.api.saveCredential(name, 'registeredDeliveryApi', data);
	return { id, name };
}

/** Everything that will arrive has arrived. */
async function eachOnce(
	workflow: StoredWorkflow,
	acknowledged: Set<string>,
	more: { reference?: string; except?: Set<string> } = {},
) {
	const { id: workflowId, name: reference } = workflow;
	await stack.receiverApi.untilDrained(workflowId, 90);
	return await expectEachOnce(stack, { workflowId, reference, acknowledged, ...more });
}

describe('publishing', () => {
	it.each(['startFromNow'])('edited under load, again and again, with %s', async (again) => {
		const name = `Edited ${again}`;
		const edit = async (batchSize: number) =>
			await publish(name, {
				options: { batchSize, maxConcurrentExecutions: 5, whenPublishedAgain: again },
			});
		const workflow = await edit(20);
		const load = startLoad(stack, name, EVENTS_A_SECOND);
		for (const batchSize of [30, 35, 40]) {
			await sleep(1000);
			await edit(batchSize);
		}
		const { events, largest } = await eachOnce(workflow, await load.stop());
		expect(events).toBeGreaterThan(EVENTS_A_SECOND * 2);
		expect(largest).toBeGreaterThan(1);
		expect(largest).toBeLessThanOrEqual(40);
	});

	it('imported twice: each gets every event, and goes on when the other is unpublished', async () => {
		const one = await publish('One', {}, 'Twice');
		const other = await publish('Other', {}, 'Twice');
		const both = await post(stack, 'Twice', 10);
		await eachOnce(one, both, { reference: 'Twice' });
		await stack.deactivate(other);
		const rest = await post(stack, 'Twice', 10);
		await eachOnce(one, new Set([...both, ...rest]), { reference: 'Twice' });
		await expectEachOnce(stack, {
			workflowId: other.id,
			reference: 'Twice',
			acknowledged: both,
			except: rest,
		});
	});
});

describe('the receiver', () => {
	it('away for more than ten minutes is told once, to the error workflow too; then all comes', async () => {
		const onError = node('On Error', 'n8n-nodes-base.errorTrigger', 1, {});
		const credential = await saveCredential('By proxy', proxy.url, stack.managementToken);
		const workflow = await publish('Away long', { credential, beside: [onError] });
		const executions = () => readExecutions(stack.n8nDatabase, workflow.id);
		const told = () => executions().filter(({ mode }) => mode === 'error');
		await eachOnce(workflow, await post(stack, 'Away long', 2));

		proxy.isAway = true;
		await stack.receiverApi.untilHeld(workflow.id, 0);
		const missed = await post(stack, 'Away long', 5);
		await sleep(3000);
		expect(told()).toEqual([]);
		process.kill(stack.n8n.pid, 'SIGUSR2');
		await until('the error workflow', async () => told().length > 0);
		process.kill(stack.n8n.pid, 'SIGUSR2');
		await sleep(5000);
		expect(told()).toHaveLength(1);
		expect(await stack.api.finished(String(told()[0].id))).toMatchObject({
			output: { 'On Error': [{ json: { trigger: { error: expect.anything() } } }] },
		});

		proxy.isAway = false;
		await stack.receiverApi.untilHeld(workflow.id, 1);
		await eachOnce(workflow, missed);
	});
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
