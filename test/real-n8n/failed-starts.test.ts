// Executions that n8n cannot begin: it stores the failure in place of the events, and takes the next
// attempt for a duplicate. What was not stored comes again by itself; this is dead until a person says so.
import { until } from '../n8n/poll.ts';
import { readExecutions } from '../n8n/executions.ts';
import type { StoredWorkflow } from '../n8n/api.ts';
import { byReceiver } from '../support/sandbox.ts';
import { post } from './load.ts';
import { saveScene } from './pulling.ts';
import { node } from './workflows.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(200_000);

useStack();

interface Batch {
	id: string;
	state: string;
	reason: string | null;
}

async function batchesOf(workflow: StoredWorkflow, state: string): Promise<Batch[]> {
	const { data } = await stack.receiverApi.call<{ data: Array<Batch & { consumer: string }> }>(
		'GET',
		`/batches?state=${state}&limit=100`,
	);
	return data.filter(({ consumer }) => consumer.includes(`~${workflow.id}~`));
}

/** Until so many are dead, with n8n's reason. */
async function untilDead(workflow: StoredWorkflow, count: number): Promise<void> {
	const dead = await until('all to be dead', async () => {
		const all = await batchesOf(workflow, 'dead');
		return all.length === count && all;
	});
	for (const { reason } of dead) {
		expect(reason).toMatch(/^n8n failed the execution and stored none of its events/);
		expect(reason).toMatch(/credential/);
	}
}

/** Hands out what is dead. @returns how those ended that have their events */
async function handOutDead(workflow: StoredWorkflow): Promise<string[]> {
	await stack.receiverApi.call('POST', '/batches/retry?state=dead');
	await stack.receiverApi.untilDrained(workflow.id);
	const held = readExecutions(stack.n8nDatabase, workflow.id).filter(
		({ started }) => started.length > 0,
	);
	return held.map(({ status }) => status);
}

it('a node whose credential has no id, as in an imported file: dead with n8n’s reason, and run once it is mended', async () => {
	const asked = { url: stack.receiver.url, options: {} };
	const authentication = 'genericCredentialType';
	const parameters = { ...asked, authentication, genericAuthType: 'httpHeaderAuth' };
	const credentials = { httpHeaderAuth: { id: '', name: 'Imported' } };
	const broken = node('Send', 'n8n-nodes-base.httpRequest', 4.2, parameters, { credentials });
	const workflow = await saveScene(stack, 'No id', 'No id', { beside: [broken] });
	await stack.activate(workflow);
	await post(stack, 'No id', 3);
	await untilDead(workflow, 3);
	expect(await batchesOf(workflow, 'done')).toEqual([]);
	const { data } = await stack.receiverApi.call<{ data: unknown[] }>('GET', '/events?limit=3');
	expect(data).toHaveLength(3);

	await stack.deactivate(workflow);
	const nodes = workflow.nodes.filter(({ name }) => name !== 'Send');
	await stack.activate(await stack.api.saveWorkflow({ ...workflow, nodes }));
	expect(await handOutDead(workflow)).toEqual(['success', 'success', 'success']);
	const executions = readExecutions(stack.n8nDatabase, workflow.id);
	expect(executions.filter(({ status }) => status === 'error')).toHaveLength(3);
	await stack.deactivate(workflow);
});

it('a member’s credential of the trigger that is deleted: the same', async () => {
	const member = await stack.api.invite('member@members.example');
	const data = byReceiver(stack.receiver.url, stack.managementToken);
	const saveWith = async (name: string) => {
		const credential = {
			name,
			id: await member.saveCredential(name, 'registeredDeliveryApi', data),
		};
		return {
			credential,
			workflow: await saveScene(stack, 'Member', 'Member', { api: member, credential }),
		};
	};
	const { workflow, credential } = await saveWith('Deleted');
	await stack.activate(workflow);
	await member.deleteCredential(credential.id);
	await post(stack, 'Member', 2);
	await untilDead(workflow, 2);

	await stack.deactivate(workflow);
	await stack.activate((await saveWith('Mended')).workflow);
	expect(await handOutDead(workflow)).toEqual(['success', 'success']);
	await stack.deactivate(workflow);
});
