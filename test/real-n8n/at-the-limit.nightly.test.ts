// n8n at its concurrency limit, and what befalls an execution meanwhile: its workflow is deleted, n8n is
// killed, it is the parent of another; and credentials that are deleted.
import { until } from '../n8n/poll.ts';
import { readExecutions } from '../n8n/executions.ts';
import { SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import type { StoredWorkflow } from '../n8n/api.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { control, sandboxState } from '../support/sandbox.ts';
import {
	asleep,
	AWAIT,
	awaitOutcome,
	BEHIND,
	emit,
	letters,
	publishAwaiting,
	receiverCredential,
	to,
	untilAsleep,
	waitOf,
} from './awaiting.ts';
import { publishTwoWaits, report, startDesk, takeCapacity, type Desk } from './capacity.ts';
import { startJsonServer, type JsonServer } from './json-server.ts';
import { post } from './load.ts';
import { CREDENTIAL_TYPE, saveScene } from './pulling.ts';
import { node, sendLetter, to as recipient } from './workflows.ts';

jest.setTimeout(400_000);

let stack: Stack;
let json: JsonServer;
let desk: Desk;

beforeAll(async () => {
	json = await startJsonServer();
	desk = await startDesk();
	stack = await startTemporaryStack({
		ownProcesses: true,
		n8nEnv: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' },
		receiverEnv: { WATCH_DELAYS: '0s:1s', WATCH_RATE_LIMIT: '6000' },
		sandbox: { automatic: false },
	});
}, 300_000);

afterAll(async () => {
	desk?.close();
	await stack?.close();
	await json?.close();
}, 60_000);

const credential = (name: string) => ({ id: stack.credentialId(name), name });
const timesOf = (id: string) => desk.reports.filter((one) => one === id).length;
const executionsOf = ({ id }: StoredWorkflow) => readExecutions(stack.n8nDatabase, id);

async function untilTimeHasPassed(seconds: number): Promise<void> {
	const began = Date.now();
	await until('the time to pass', async () => Date.now() - began > seconds * 1000, 2 * seconds);
}

interface Delivery {
	consumer: string;
	state: string;
	attempts: number;
	reason: string | null;
}

async function deliveriesOf({ id }: StoredWorkflow) {
	const pages = ['queued', 'in-hand', 'done', 'dead'].map(async (state) => {
		const path = `/deliveries?state=${state}&limit=100`;
		return (await stack.receiverApi.call<{ data: Delivery[] }>('GET', path)).data;
	});
	return (await Promise.all(pages)).flat().filter(({ consumer }) => consumer.includes(`~${id}~`));
}

describe('events whose executions wait for capacity', () => {
	/** Three of them, and n8n is full. */
	async function hold(name: string): Promise<StoredWorkflow> {
		const workflow = await saveScene(stack, name, name, { nodes: [report(desk, 'Report')] });
		await stack.activate(workflow);
		await takeCapacity(stack, desk, 1);
		await post(stack, name, 3);
		await until('all to be stored', async () => executionsOf(workflow).length === 3);
		return workflow;
	}

	it.each(['deactivate', 'archive'] as const)('%s: each runs once', async (how) => {
		const workflow = await hold(how);
		await stack.api[how](workflow.id);
		await stack.receiverApi.untilHeld(workflow.id, 0);
		expect(executionsOf(workflow).map(({ status }) => status)).toEqual(['new', 'new', 'new']);
		desk.release();
		await until('all to be done', async () => {
			const states = (await deliveriesOf(workflow)).map(({ state }) => state);
			return states.length === 3 && states.every((state) => state === 'done');
		});
		const executions = executionsOf(workflow);
		expect(executions.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
		expect(executions.map(({ id }) => timesOf(String(id)))).toEqual([1, 1, 1]);
	});

	// By day: test/unit/pack/startExecution.test.ts. Of the first n8n tells that it failed, of the others
	// nothing: it keeps the capacity of the first for good, and runs no other workflow either.
	it('their workflow is deleted: none counts as done, and nobody goes on asking', async () => {
		const workflow = await hold('Deleted');
		await stack.api.archive(workflow.id);
		await stack.api.untilDeleted(workflow.id);
		desk.release();
		const queued = async () =>
			(await deliveriesOf(workflow)).filter(({ state }) => state === 'queued');
		await until('the first to be given back', async () => (await queued()).length > 0);
		await untilTimeHasPassed(20);
		expect(await queued()).toMatchObject([
			{ attempts: 1, reason: expect.stringMatching(/Published version not found/) },
		]);
		const others = (await deliveriesOf(workflow)).filter(({ state }) => state !== 'queued');
		expect(others).toMatchObject([
			{ state: 'in-hand', attempts: 1 },
			{ state: 'in-hand', attempts: 1 },
		]);
		await stack.n8n.kill();
		await stack.startN8n();
	});
});

describe('Await Consent', () => {
	const emailOf = (name: string) => `${name}@contacts.example`;
	const OUTPUTS = ['Accepted', 'Refused', 'No Answer'];

	async function answer(name: string, word: 'accept' | 'refuse') {
		const { consents } = await sandboxState(stack.sandbox);
		const consent = consents.findLast(({ contact }) => contact.email === emailOf(name));
		await control(stack.sandbox, 'POST', `/consents/${consent?.id}/${word}`);
	}

	const mailsTo = async (name: string) => {
		const { mails } = await sandboxState(stack.sandbox);
		return mails.filter(({ to: whom }) => whom === emailOf(name)).length;
	};

	/** The output that the contact left by. */
	async function leftBy(id: string) {
		const { runs } = await stack.api.execution(id);
		expect(runs[AWAIT]).toHaveLength(1);
		return runs[AWAIT][0].flatMap((items, output) => items.map(() => OUTPUTS[output]));
	}

	it.each(['killed while it holds them', 'killed while they sleep', 'not killed'])(
		'n8n is %s: each goes on once, by its output, and is reminded once',
		async (how) => {
			const wait = node(
				AWAIT,
				'n8n-nodes-registered-delivery.awaitConsent',
				1,
				{
					...{ askBy: 'email', recipientsFrom: 'item', options: { remindAfterDays: 15 / 86_400 } },
					...{ deadlineMode: 'after', deadlineAmount: 1, deadlineUnit: 'hours' },
				},
				{
					webhookId: crypto.randomUUID(),
					credentials: { registeredDeliveryApi: credential(SERVICE_CREDENTIAL) },
				},
			);
			const title = `Consent, ${how}`;
			const { workflow, fallAsleep } = await publishTwoWaits(stack, desk, title, wait, OUTPUTS);
			const names = ['ada', 'ben', 'cleo'].map((name) => `${name}-${how.replace(/ /g, '-')}`);
			const then = letters(...names).map(({ messageId }) => messageId);
			const contacts = names.map((name, n) => ({
				...{ name, email: emailOf(name), firstname: name, lastname: 'Martin' },
				...{ type: 'AES', then: then[n] },
			}));
			const ids = await fallAsleep(...contacts.map((contact) => json.offer([contact])));
			if (how === 'killed while they sleep') {
				await stack.n8n.kill();
				await stack.startN8n();
			}
			const fill = await takeCapacity(stack, desk, 1);
			await until('the reminders', async () => {
				return (await Promise.all(names.map(mailsTo))).every((count) => count === 2);
			});
			await answer(names[0], 'accept');
			await answer(names[1], 'refuse');
			await answer(names[2], 'accept');
			// The part of the wait behind the reminder.
			const waits = (await Promise.all(ids.map((id) => asleep(stack, id)))).map(
				({ waitId }) => `${waitId}.1`,
			);
			const inHand = async () => {
				const all = await Promise.all(waits.map((id) => waitOf(stack, id)));
				return all.filter(({ state }) => state === 'in-hand').length;
			};
			await until('all to be in hand', async () => (await inHand()) === 3);
			if (how === 'killed while it holds them') {
				await stack.n8n.kill();
				await until('what was held to be gone', async () => desk.held.size === 0);
				await stack.passLeases();
				await stack.startN8n();
				await fill();
				await until('all to be in hand again', async () => (await inHand()) === 3, 120);
			}
			await untilTimeHasPassed(25);
			expect(ids.map(timesOf)).toEqual([0, 0, 0]);
			desk.release();
			for (const id of ids) await until('it to go on', async () => timesOf(id) > 0);
			for (const id of ids) await untilAsleep(stack, id);
			await emit(stack, 'opened', ...then);
			for (const id of ids) {
				expect(await stack.api.finished(id, 120_000)).toMatchObject({ error: null });
			}
			expect(ids.map(timesOf)).toEqual([1, 1, 1]);
			expect(await Promise.all(ids.map(leftBy))).toEqual([['Accepted'], ['Refused'], ['Accepted']]);
			expect(await Promise.all(names.map(mailsTo))).toEqual([2, 2, 2]);
			expect(await stack.api.executionIds(workflow.id)).toEqual(ids);
			await stack.api.deactivate(workflow.id);
		},
	);
});

// Held for more than a minute, n8n 2.41 itself lets a parent in twice, which runs the nodes between again;
// a letter among them is claimed by the execution, and so goes once.
it('Await Outcome in a sub-workflow, and in its parent after a letter: the letter goes once', async () => {
	const start = node('When Executed', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
		inputSource: 'passthrough',
	});
	const credentials = { registeredDeliveryReceiverApi: receiverCredential(stack) };
	const child = await stack.api.saveWorkflow({
		name: 'Child',
		nodes: [
			start,
			{ ...awaitOutcome(), position: [200, 0], credentials },
			{ ...report(desk, 'Report'), position: [400, 0] },
		],
		connections: {
			'When Executed': { main: [to(AWAIT)] },
			[AWAIT]: { main: BEHIND.map(() => to('Report')) },
		},
		settings: { executionOrder: 'v1' },
	});
	await stack.api.activate(child.id);
	const sub = node('Sub', 'n8n-nodes-base.executeWorkflow', 1.2, {
		...{ source: 'database', workflowId: { __rl: true, mode: 'id', value: child.id } },
		...{ workflowInputs: { mappingMode: 'defineBelow', value: {} }, mode: 'once' },
		options: { waitForSubWorkflow: true },
	});
	const letter = sendLetter(
		{ ...recipient('parent@letters.example'), type: 'LRE' },
		{ credentials: { registeredDeliveryApi: credential(SERVICE_CREDENTIAL) } },
	);
	const wait = awaitOutcome({ messageType: 'LRE' });
	const { workflow: parent, fallAsleep } = await publishAwaiting(
		stack,
		'Parent',
		wait,
		(nodes, connections) => {
			nodes.push({ ...sub, position: [300, 200] }, { ...letter, position: [500, 200] });
			connections.Items = { main: [to('Sub')] };
			connections.Sub = { main: [to('Send Letter')] };
			connections['Send Letter'] = { main: [to(AWAIT)] };
		},
	);
	const [one] = letters('child');
	const [id] = await fallAsleep(json.offer([one]));
	const [ofChild] = await stack.api.executionIds(child.id);
	await untilAsleep(stack, ofChild);
	await takeCapacity(stack, desk, 1);
	await emit(stack, 'opened', one.messageId);
	// n8n's limit is for what starts by itself, not for what another execution starts.
	await stack.api.finished(ofChild);
	await untilTimeHasPassed(70);
	expect(await stack.api.execution(id)).toMatchObject({ status: 'waiting' });
	desk.release();
	const sent = async () => {
		const { messages } = await sandboxState(stack.sandbox);
		return messages.filter(({ contact }) => contact.email === 'parent@letters.example');
	};
	await until('the letter', async () => (await sent()).length > 0);
	await untilTimeHasPassed(5);
	await untilAsleep(stack, id);
	const [{ id: letterId }, ...more] = await sent();
	expect(more).toEqual([]);
	await control(stack.sandbox, 'POST', `/messages/${letterId}/accept`);
	const execution = await stack.api.finished(id, 120_000);
	expect(execution).toMatchObject({ error: null });
	expect(BEHIND.filter((name) => execution.runs[name])).toEqual(['Accepted']);
	expect(await stack.api.executionIds(parent.id)).toEqual([id]);
	await stack.api.deactivate(parent.id);
});

describe('a credential that is deleted', () => {
	const data = () => ({
		receiverUrl: stack.receiver.url,
		managementToken: stack.managementToken,
	});

	it("the trigger's own: nothing is lost, and all comes when another is chosen", async () => {
		const choose = async (name: string) => {
			const id = await stack.api.saveCredential(name, CREDENTIAL_TYPE, data());
			return await saveScene(stack, 'Own', 'Own', { credential: { id, name } });
		};
		const workflow = await choose('Own, deleted');
		await stack.activate(workflow);
		await post(stack, 'Own', 1);
		await stack.receiverApi.untilDrained(workflow.id);
		const { id } = (workflow.nodes[0].credentials as Record<string, { id: string }>)[
			CREDENTIAL_TYPE
		];
		await stack.api.deleteCredential(id);
		await stack.restartN8n();
		await post(stack, 'Own', 2);
		await stack.activate(await choose('Own, chosen'));
		await stack.receiverApi.untilDrained(workflow.id);
		expect(executionsOf(workflow).map(({ started }) => started.length)).toEqual([1, 1, 1]);
		await stack.deactivate(workflow);
	});
});
