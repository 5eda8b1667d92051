// Executions that sleep until their letters have an outcome, in a real n8n. How they
// survive restarts and changes around them: sleepers.test.ts.
import { RECEIVER_CREDENTIAL, SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { until } from '../n8n/poll.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { runCommand } from './command.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { control, sandboxState } from '../support/sandbox.ts';
import {
	asleep,
	AWAIT,
	awaitOutcome,
	BEHIND,
	brief,
	emit,
	left,
	letters,
	saveAwaiting,
	to,
	untilAsleep,
	waitOf,
	woken,
} from './awaiting.ts';
import { startJsonServer, type JsonServer } from './json-server.ts';
import { node, sendLetter, START } from './workflows.ts';

jest.setTimeout(200_000);

let stack: Stack;
let json: JsonServer;
/** Between n8n and the receiver, so that tests see what n8n registers. */
let between: Proxy;

beforeAll(async () => {
	json = await startJsonServer();
	stack = await startTemporaryStack({
		receiverEnv: { WATCH_DELAYS: '0s:1s', WATCH_RATE_LIMIT: '6000' },
	});
	between = await startProxy({ targets: () => [stack.receiver.url] });
	await stack.api.saveCredential(RECEIVER_CREDENTIAL, 'registeredDeliveryReceiverApi', {
		receiverUrl: between.url,
		managementToken: stack.managementToken,
	});
}, 300_000);

afterAll(async () => {
	await stack?.close();
	await between?.close();
	await json?.close();
}, 60_000);

/** Only the receiver should know it: taken from the request that registered the wait. */
function registered(waitId: string): { secret: string; resumeUrl: string } {
	const put = between.passed.find(
		({ method, path }) => method === 'PUT' && path === `/waits/${waitId}`,
	);
	return JSON.parse(put?.body ?? '{}') as { secret: string; resumeUrl: string };
}

const secretOf = (waitId: string) => registered(waitId).secret;

/** Posts to a resume URL as a wake-up would. */
async function post(url: string, body: unknown) {
	const answer = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: typeof body === 'string' ? body : JSON.stringify(body),
	});
	const text = await answer.text();
	return { status: answer.status, said: /"wakeUp":"(\w+)"/.exec(text)?.[1] };
}

const outcome = (messageId: string, name: string) => ({
	...{ id: messageId, outcome: name, status: name.toUpperCase(), event: 'tracked_mail.opened' },
	...{ occurredAt: new Date().toISOString(), eventId: 'evt_1' },
});

it('letters of all types, sent and watched: each leaves by its output, paired with its item', async () => {
	const mails = [
		{ name: 'kept', type: 'LRE', email: 'never+kept@recipients.example' },
		{ name: 'refused', type: 'LRE', email: 'refuse@recipients.example' },
		{ name: 'opened', type: 'AES', email: 'open@recipients.example' },
		{ name: 'accepted', type: 'LRE', email: 'accept@recipients.example' },
		{ name: 'bounced', type: 'LS', email: 'bounce-then-receive@recipients.example' },
	];
	const account = {
		registeredDeliveryApi: { id: stack.credentialId(SERVICE_CREDENTIAL), name: SERVICE_CREDENTIAL },
	};
	const send = sendLetter(
		{
			type: '={{ $json.type }}',
			recipientsJson:
				'={{ JSON.stringify([{ email: $json.email, firstname: "Ada", lastname: "Martin" }]) }}',
		},
		{ credentials: account },
	);
	const workflow = await saveAwaiting(
		stack,
		'All types',
		json.offer(mails),
		awaitOutcome(),
		(nodes, connections) => {
			nodes.push({ ...send, position: [300, 200] });
			Object.assign(connections, {
				Items: { main: [to('Send Letter')] },
				'Send Letter': { main: [to(AWAIT)] },
			});
		},
	);
	const id = await stack.api.start(workflow);
	const { waitId } = await asleep(stack, id);
	await until('all but one are known', async () => {
		const { outcomes } = (await waitOf(stack, waitId)) as { outcomes: Array<{ outcome: string }> };
		return outcomes.filter((one) => one.outcome === 'none').length === 1;
	});
	const { messages } = await sandboxState(stack.sandbox);
	const kept = messages.find(({ contact }) => contact.email.startsWith('never+kept'));
	await control(stack.sandbox, 'POST', `/messages/${kept?.id}/expire`);
	const execution = await woken(stack, id, waitId);
	expect(execution.error).toBe(null);
	expect(brief(execution)).toEqual([
		['Accepted', 'accepted', 'accepted'],
		['Refused', 'refused', 'refused'],
		['Opened', 'opened', 'opened'],
		['Opened', 'bounced', 'received'],
		['Expired', 'kept', 'expired'],
	]);
	expect(left(execution).map(({ messageId }) => messageId)).toEqual(
		['accepted', 'refused', 'opened', 'bounced', 'kept'].map(
			(name) =>
				execution.runs['Send Letter'][0][0][mails.findIndex((m) => m.name === name)].json.messageId,
		),
	);
	for (const secret of [stack.managementToken, 'whsec_']) {
		expect(execution.raw).not.toContain(secret);
	}
});

it('at the deadline: what is settled and what is not; an outcome from before counts; twins both get it', async () => {
	const [a, b, c] = letters('a', 'b', 'c');
	const all = [c, a, b, { ...a, name: 'twin of a' }];
	await emit(stack, 'opened', a.messageId);
	await emit(stack, 'received', b.messageId);
	await emit(stack, 'undelivered', c.messageId);
	const wait = awaitOutcome({
		deadlineMode: 'at',
		deadlineAt: '={{ $now.plus({ seconds: 5 }).toISO() }}',
	});
	const workflow = await saveAwaiting(stack, 'Deadline', json.offer(all), wait);
	const execution = await woken(stack, await stack.api.start(workflow));
	expect(left(execution)).toMatchObject([
		{ by: 'Opened', paired: 'a', name: 'a', outcome: 'opened' },
		{ by: 'Opened', paired: 'twin of a', name: 'twin of a', messageId: a.messageId },
		{ by: 'Expired', paired: 'c', outcome: 'undelivered', status: 'UNDELIVERED' },
		{ by: 'Pending', paired: 'b', outcome: 'none', status: 'RECEIVED' },
	]);
});

it('two rounds of a loop: each waits for its own, and takes nothing for the other', async () => {
	const [a, b] = letters('a', 'b');
	const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 1, options: {} });
	const workflow = await saveAwaiting(
		stack,
		'Loop',
		json.offer([a, b]),
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
	const second = await until('the second round', async () => {
		if ((await stack.api.execution(id)).status !== 'waiting') return null;
		const now = await asleep(stack, id);
		return now.waitId !== first.waitId && now;
	});
	expect(second.url).toBe(first.url);
	// Late or repeated: the first round's outcomes do not wake the second, whatever they claim to be.
	const late = {
		waitId: first.waitId,
		reason: 'complete',
		outcomes: [outcome(a.messageId, 'opened')],
		secret: secretOf(first.waitId),
	};
	expect(await post(first.url, late)).toMatchObject({ said: 'over' });
	expect(await post(first.url, { ...late, waitId: second.waitId })).toMatchObject({
		said: 'refused',
	});
	expect((await stack.api.execution(id)).status).toBe('waiting');
	await emit(stack, 'failed', b.messageId);
	expect(brief(await woken(stack, id))).toEqual([
		['Opened', 'a', 'opened'],
		['Expired', 'b', 'failed'],
	]);
});

it('resumed several times at once, goes on once', async () => {
	const [a, b] = letters('a', 'b');
	const workflow = await saveAwaiting(stack, 'Twice', json.offer([a, b]), awaitOutcome());
	const id = await stack.api.start(workflow);
	const { waitId, url } = await asleep(stack, id);
	const outcomes = [outcome(a.messageId, 'opened'), outcome(b.messageId, 'accepted')];
	const body = { waitId, reason: 'complete', outcomes, secret: secretOf(waitId) };
	const answers = await Promise.all([1, 2, 3].map(() => post(url, body)));
	expect(answers.map(({ said }) => said)).toContain('resumed');
	const execution = await woken(stack, id);
	expect(execution).toMatchObject({ status: 'success', error: null });
	expect(brief(execution)).toEqual([
		['Accepted', 'b', 'accepted'],
		['Opened', 'a', 'opened'],
	]);
	expect(await stack.api.executionIds(workflow.id)).toEqual([id]);
	// The receiver finds out eventually and does not retry forever.
	await emit(stack, 'opened', a.messageId, b.messageId);
	await until('an attempt', async () => Number((await waitOf(stack, waitId)).attempts) > 0);
	expect(await stack.api.execution(id)).toMatchObject({ status: 'success' });
});

it('a wake-up that comes late resumes no other node that waits by then', async () => {
	const [a] = letters('a');
	const wait = node(
		...(['Approval', 'n8n-nodes-base.wait', 1.1] as const),
		{ resume: 'webhook', httpMethod: 'POST', responseMode: 'onReceived', options: {} },
		{ webhookId: crypto.randomUUID() },
	);
	const workflow = await saveAwaiting(
		stack,
		'Approval',
		json.offer([a]),
		awaitOutcome(),
		(nodes, connections) => {
			nodes.push({ ...wait, position: [900, 200] });
			connections.Opened = { main: [to('Approval')] };
		},
	);
	const id = await stack.api.start(workflow);
	const { waitId, url } = await asleep(stack, id);
	await emit(stack, 'opened', a.messageId);
	await until('it to be resumed', async () => (await waitOf(stack, waitId)).state === 'done');
	await untilAsleep(stack, id);
	// As for a receiver that did not hear that it was resumed, or that an operator asks to try again.
	const { resumeUrl, secret } = registered(waitId);
	const outcomes = [outcome(a.messageId, 'opened')];
	const late = { waitId, reason: 'complete', outcomes, secret };
	expect(await post(resumeUrl, late)).toMatchObject({ status: 404 });
	expect((await stack.api.execution(id)).status).toBe('waiting');
	const approval = url.replace('/registered-delivery', '');
	expect((await post(approval, { approved: true })).status).toBe(200);
	expect((await woken(stack, id)).status).toBe('success');
});

it('a stranger who posts to the resume URL changes nothing', async () => {
	const [a] = letters('a');
	const workflow = await saveAwaiting(stack, 'Stranger', json.offer([a]), awaitOutcome());
	const id = await stack.api.start(workflow);
	const { waitId, url } = await asleep(stack, id);
	const secret = secretOf(waitId);
	expect((await stack.api.execution(id)).raw).not.toContain(secret);
	const outcomes = [outcome(a.messageId, 'accepted')];
	const body = { waitId, reason: 'complete', outcomes, secret };
	const refused = { said: 'refused' };
	expect(await post(url, { ...body, secret: undefined })).toMatchObject(refused);
	expect(await post(url, { ...body, secret: secret.replace(/.$/, '_-') })).toMatchObject(refused);
	expect(await post(url, { ...body, secret: '' })).toMatchObject(refused);
	expect(await post(url, { ...body, secret: [secret] })).toMatchObject(refused);
	expect(await post(url, { waitId, secret: 'guessed', nonsense: true })).toMatchObject(refused);
	expect(await post(url, [])).toMatchObject(refused);
	expect((await post(url, 'not json')).said).not.toBe('resumed');
	const guessed = url.replace(/signature=.*/, 'signature=guessed');
	expect(await post(guessed, body)).toMatchObject({ status: 401 });
	expect((await fetch(url)).status).toBe(404);
	// The right secret, but not an outcome for each letter: it stays asleep too.
	const other = { ...body, outcomes: [outcome('999999999999', 'accepted')] };
	expect((await post(url, other)).said).not.toBe('resumed');
	expect((await post(url, { ...body, outcomes: [] })).said).not.toBe('resumed');
	expect((await stack.api.execution(id)).status).toBe('waiting');

	await emit(stack, 'opened', a.messageId);
	expect(brief(await woken(stack, id, waitId))).toEqual([['Opened', 'a', 'opened']]);
});

it('a batch of 1,000, each paired with its item', async () => {
	const all = letters(...Array.from({ length: 1000 }, (_, n) => `letter ${n}`));
	const workflow = await saveAwaiting(stack, 'Thousand', json.offer(all), awaitOutcome());
	const id = await stack.api.start(workflow);
	await untilAsleep(stack, id);
	const ids = all.map(({ messageId }) => messageId);
	await emit(stack, 'failed', ...ids.filter((_, n) => n % 3 === 0));
	await emit(stack, 'opened', ...ids.filter((_, n) => n % 3 !== 0));
	const out = left(await woken(stack, id));
	expect(out).toHaveLength(1000);
	const byName = new Map(all.map(({ name, messageId }, n) => [name, { messageId, n }]));
	for (const { by, name, paired, messageId } of out) {
		const letter = byName.get(String(name));
		expect([by, paired, messageId]).toEqual([
			Number(letter?.n) % 3 === 0 ? 'Expired' : 'Opened',
			name,
			letter?.messageId,
		]);
	}
});

it('an execution that is stopped meanwhile is left alone', async () => {
	const [a] = letters('a');
	const workflow = await saveAwaiting(stack, 'Stopped', json.offer([a]), awaitOutcome());
	const id = await stack.api.start(workflow);
	const { waitId } = await asleep(stack, id);
	await stack.api.stop(id);
	await emit(stack, 'opened', a.messageId);
	await until('an attempt', async () => Number((await waitOf(stack, waitId)).attempts) > 0);
	const execution = await stack.api.execution(id);
	expect(execution.status).toBe('canceled');
	expect(left(execution)).toEqual([]);
});

it('in a sub-workflow: it sleeps and is woken there, and the caller gets what comes out', async () => {
	const [a, b] = letters('a', 'b');
	const called = node('Start', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
		inputSource: 'passthrough',
	});
	const child = await saveAwaiting(stack, 'Child', json.offer([a, b]), awaitOutcome(), (nodes) => {
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

// The command line starts at the first listed node that could be a trigger.
it('started at this node by n8n execute, it says so and does nothing', async () => {
	const [a] = letters('a');
	const workflow = await saveAwaiting(
		stack,
		'Command line',
		json.offer([a]),
		awaitOutcome(),
		(nodes) => void nodes.unshift(...nodes.splice(2, 1)),
	);
	const waits = () => between.passed.filter(({ path }) => path.startsWith('/waits/')).length;
	const before = waits();
	const said = await runCommand(stack, 'execute', `--id=${workflow.id}`, '--rawOutput');
	expect(said).toContain(AWAIT);
	expect(said).toMatch(/command line|by mistake|no input|trigger/i);
	expect(waits()).toBe(before);
	for (const execution of await stack.api.executionIds(workflow.id)) {
		expect(left(await stack.api.execution(execution))).toEqual([]);
	}
});
