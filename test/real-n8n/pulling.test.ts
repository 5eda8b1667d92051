// The trigger pulls, in a real n8n: every event that the receiver acknowledged starts exactly one
// execution, whatever is done to workflow, receiver and credential meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';

import { ACK_WAIT_MS } from '../../webhook-receiver/src/core/pull-contract.ts';
import type { StoredWorkflow } from '../n8n/api.ts';
import { readExecutions } from '../n8n/executions.ts';
import { root } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { post, startLoad } from './load.ts';
import { CREDENTIAL_TYPE, FAIL, NOTE, pause, saveScene, type Scene } from './pulling.ts';
import { startReceiverProxy, type ReceiverProxy } from './receiver-proxy.ts';
import { startTally, type Tally } from './tally.ts';
import { expectEachOnce } from './witness.ts';
import { node } from './workflows.ts';

jest.setTimeout(120_000);

const EVENTS_A_SECOND = 100;

let stack: Stack;
let proxy: ReceiverProxy;
let tally: Tally;
/** Its executions outlast the receiver's wait for a report, while the other tests run. */
let long: { workflow: StoredWorkflow; acknowledged: Set<string> };

beforeAll(async () => {
	stack = await startTemporaryStack({
		ownProcesses: true,
		n8nEnv: { NODE_OPTIONS: `--require ${join(root, 'test', 'n8n', 'later-clock.cjs')}` },
	});
	proxy = await startReceiverProxy(() => stack.receiver.url);
	tally = await startTally();
	const workflow = await publish('Long', {
		options: { atOnce: 6 },
		nodes: [pause(40), pause(40, 'Pause Again'), NOTE],
	});
	long = { workflow, acknowledged: await post(stack, 'Long', 6) };
}, 300_000);

afterAll(async () => {
	await stack?.close();
	await proxy?.close();
	await tally?.close();
}, 120_000);

/** A published workflow whose events carry its name as their reference. */
async function publish(name: string, scene?: Scene, reference = name): Promise<StoredWorkflow> {
	const workflow = await saveScene(stack, name, reference, scene);
	await stack.activate(workflow);
	return workflow;
}

/** A separate credential, for changes that affect only one workflow. */
async function saveCredential(name: string, receiverUrl: string, managementToken: string) {
	const data = { receiverUrl, managementToken };
	const id = await stack.api.saveCredential(name, CREDENTIAL_TYPE, data);
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
	it.each(['catchUp', 'startFromNow'])(
		'edited under load, again and again, with %s',
		async (again) => {
			const name = `Edited ${again}`;
			const edit = async (batchSize: number) =>
				await publish(name, { options: { batchSize, atOnce: 5, whenPublishedAgain: again } });
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
		},
	);

	it('unpublished for a while: it catches up, or starts from now, as chosen', async () => {
		const catchingUp = await publish('Catches up', {}, 'Away');
		const fromNow = await publish(
			'From now',
			{ options: { whenPublishedAgain: 'startFromNow' } },
			'Away',
		);
		const first = await post(stack, 'Away', 10);
		await eachOnce(fromNow, first, { reference: 'Away' });
		await stack.deactivate(catchingUp);
		await stack.deactivate(fromNow);
		const missed = await post(stack, 'Away', 20);
		await stack.activate(catchingUp);
		await stack.activate(fromNow);
		const last = await post(stack, 'Away', 10);

		const all = new Set([...first, ...missed, ...last]);
		await eachOnce(catchingUp, all, { reference: 'Away' });
		await eachOnce(fromNow, all, { reference: 'Away', except: missed });
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
			...{ workflowId: other.id, reference: 'Twice', acknowledged: both, except: rest },
		});
	});
});

describe('executions', () => {
	it('one event each, one execution at once: each begins when the one before has ended', async () => {
		const workflow = await publish('One by one', {
			options: { batchSize: 1, atOnce: 1 },
			nodes: [pause(0.1), NOTE],
		});
		const { executions } = await eachOnce(workflow, await post(stack, 'One by one', 15));
		expect(executions).toHaveLength(15);
		for (const [at, { startedAt }] of executions.slice(1).entries()) {
			expect(startedAt).toBeGreaterThanOrEqual(executions[at].stoppedAt ?? Infinity);
		}
	});

	it('no more than were allowed run at once, however many wait', async () => {
		const workflow = await publish('Three at once', {
			options: { batchSize: 1, atOnce: 3 },
			nodes: [pause(0.5), NOTE],
		});
		const { executions } = await eachOnce(workflow, await post(stack, 'Three at once', 12));
		const runningAt = (time: number) =>
			executions.filter(({ startedAt, stoppedAt }) => startedAt! <= time && time < stoppedAt!)
				.length;
		const most = Math.max(...executions.map(({ startedAt }) => runningAt(startedAt!)));
		expect(most).toBe(3);
	});

	it('that fail are not started again, and hold up nobody', async () => {
		const workflow = await publish('Failing', { options: { batchSize: 2 }, nodes: [FAIL] });
		const { executions } = await eachOnce(workflow, await post(stack, 'Failing', 12));
		expect(new Set(executions.map(({ status }) => status))).toEqual(new Set(['error']));
	});

	it('that go to sleep hold up nobody', async () => {
		const scene = { options: { atOnce: 1 }, nodes: [pause(3600)] };
		const workflow = await publish('Sleeping', scene);
		const { executions } = await eachOnce(workflow, await post(stack, 'Sleeping', 4));
		expect(executions.map(({ status }) => status)).toEqual(Array(4).fill('waiting'));
	});

	it('that n8n does not save happen once each all the same', async () => {
		const workflow = await publish('Unsaved', {
			nodes: [tally.node],
			settings: { saveDataSuccessExecution: 'none' },
		});
		const { executions } = await eachOnce(workflow, await post(stack, 'Unsaved', 15));
		expect(await stack.api.executionIds(workflow.id)).toEqual([]);
		const ids = executions.map(({ started }) => started[0].json.id);
		expect(tally.counts).toEqual(new Map(ids.map((id) => [id, 1])));
	});

	it('of an event that is replayed is another one: the operator asked for it', async () => {
		const workflow = await publish('Replayed');
		await post(stack, 'Replayed', 1);
		await stack.receiverApi.untilDrained(workflow.id);
		const [event] = (await stack.receiverApi.events()).slice(-1);
		await stack.receiverApi.replay(event.id);
		await stack.receiverApi.untilDrained(workflow.id);
		const executions = readExecutions(stack.n8nDatabase, workflow.id);
		expect(executions.map(({ started }) => started[0].json.id)).toEqual([event.id, event.id]);
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

	it('newer than the pack: an event of a type nobody knows yet holds up nothing', async () => {
		const credential = await saveCredential('By proxy', proxy.url, stack.managementToken);
		proxy.change = (answer) => answer.replaceAll('tracked_mail.received', 'parcel.lost');
		const options = { batchSize: 10 };
		const workflow = await publish('Newer receiver', { credential, options });
		const { executions } = await eachOnce(workflow, await post(stack, 'Newer receiver', 50));
		proxy.change = (answer) => answer;
		const types = executions.flatMap(({ started }) => started.map(({ json }) => json.type));
		expect(new Set(types)).toEqual(
			new Set(['tracked_mail.sent', 'parcel.lost', 'tracked_mail.opened']),
		);
	});
});

describe('the management token', () => {
	const OLD = 'its-old-management-token';
	const NEXT = 'the-next-management-token';
	const NAME = 'Its own token';
	const takes = async (...tokens: string[]) =>
		await stack.restartReceiver({
			MANAGEMENT_TOKEN: [stack.managementToken, ...tokens].join(','),
		});

	it('is replaced without a gap while the receiver takes both', async () => {
		await takes(OLD);
		const credential = await saveCredential(NAME, stack.receiver.url, OLD);
		const workflow = await publish('Two tokens', { credential, options: { batchSize: 10 } });
		const load = startLoad(stack, 'Two tokens', 30);
		await takes(OLD, NEXT);
		await saveCredential(NAME, stack.receiver.url, NEXT);
		await sleep(1000);
		await takes(NEXT);
		await sleep(1000);
		await eachOnce(workflow, await load.stop());
		expect(await stack.api.problemOf(workflow.id)).toBe(null);
	});

	it('refused is shown at the workflow; corrected, also to another address, it heals by itself', async () => {
		const credential = await saveCredential(NAME, proxy.url, NEXT);
		const workflow = await publish('One token', { credential });
		const first = await post(stack, 'One token', 3);
		await eachOnce(workflow, first);
		await takes();
		const error = await until('the error at the workflow', () => stack.api.problemOf(workflow.id));
		expect(error).toMatch(/token/i);
		expect(error).not.toContain(NEXT);
		const missed = await post(stack, 'One token', 5);
		// By then n8n has used up its attempts to reopen the trigger.
		await sleep(20_000);

		proxy.isAway = true;
		await saveCredential(NAME, stack.receiver.url, stack.managementToken);
		await stack.receiverApi.untilHeld(workflow.id, 1);
		await eachOnce(workflow, new Set([...first, ...missed]));
		proxy.isAway = false;
		expect(await stack.api.problemOf(workflow.id)).toBe(null);
	});
});

it('executions that ran longer than the receiver waits for word were started once', async () => {
	const { executions } = await eachOnce(long.workflow, long.acknowledged);
	for (const { startedAt, stoppedAt, status } of executions) {
		expect(status).toBe('success');
		expect(stoppedAt! - startedAt!).toBeGreaterThan(ACK_WAIT_MS);
	}
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
