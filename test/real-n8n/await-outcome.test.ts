// Executions that sleep until their letters have an outcome, in a real n8n (design, section Outcomes).
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse as parseFlatted } from 'flatted';

import { waitSecret } from '../../nodes/AwaitOutcome/waitSecret.ts';
import type { Execution } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import { SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { control, sandboxState } from '../support/sandbox.ts';
import {
	AWAIT,
	awaitOutcome,
	BEHIND,
	emit,
	left,
	saveAwaiting,
	untilAsleep,
	type Left,
} from './awaiting.ts';
import { startJsonServer, type JsonServer } from './json-server.ts';
import { node, sendLetter } from './workflows.ts';

jest.setTimeout(400_000);

let stack: Stack;
let json: JsonServer;

beforeAll(async () => {
	json = await startJsonServer();
	stack = await startTemporaryStack({
		receiverEnv: { WATCH_DELAYS: '0s:1s', WATCH_RATE_LIMIT: '6000' },
	});
}, 300_000);

afterAll(async () => {
	await stack?.close();
	await json?.close();
}, 60_000);

let last = 0;

/** Tracked mail that nobody has waited for yet; the sandbox does not know it. */
function letters(...names: string[]) {
	return names.map((name) => ({ name, messageId: String(++last).padStart(12, '0'), type: 'AES' }));
}

/** What n8n keeps of an execution that sleeps. */
function keptOf({ raw }: Execution) {
	const kept = parseFlatted(raw) as {
		resumeToken: string;
		executionData: { contextData: Record<string, { sleeping: { waitId: string } }> };
	};
	const { waitId } = kept.executionData.contextData[`node:${AWAIT}`].sleeping;
	return { waitId, resumeToken: kept.resumeToken };
}

async function asleep(id: string) {
	await untilAsleep(stack, id);
	const { waitId, resumeToken } = keptOf(await stack.api.execution(id));
	const url = `${stack.n8n.url}/webhook-waiting/${id}?signature=${resumeToken}`;
	return { waitId, url };
}

async function waitOf(waitId: string): Promise<Record<string, unknown>> {
	const headers = { authorization: `Bearer ${stack.managementToken}` };
	const answer = await fetch(`${stack.receiver.url}/waits/${waitId}`, { headers });
	return (await answer.json()) as Record<string, unknown>;
}

/** Once it has ended; if it does not, with what the receiver knows of the wait. */
async function finished(id: string, waitId: string): Promise<Execution> {
	try {
		return await stack.api.finished(id, 150_000);
	} catch (error) {
		throw new Error(`${(error as Error).message} ${JSON.stringify(await waitOf(waitId))}`);
	}
}

/** Posts to a resume URL as the receiver would, with whatever secret. */
async function post(url: string, waitId: string, body: object, secret?: string) {
	const text = JSON.stringify(body);
	const timestamp = String(Math.floor(Date.now() / 1000));
	const key = secret ?? waitSecret(stack.managementToken, waitId);
	const hmac = createHmac('sha256', Buffer.from(key.slice(6), 'base64'));
	const signature = hmac.update(`${waitId}.${timestamp}.${text}`).digest('base64');
	const answer = await fetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'webhook-id': waitId,
			'webhook-timestamp': timestamp,
			'webhook-signature': `v1,${signature}`,
		},
		body: text,
	});
	return answer.status;
}

const outcome = (messageId: string, name: string) => ({
	...{ messageId, outcome: name, status: name.toUpperCase(), event: 'tracked_mail.opened' },
	...{ occurredAt: new Date().toISOString(), eventId: 'evt_1' },
});

const brief = (all: Left[]) => all.map(({ by, paired, outcome }) => [by, paired, outcome]);

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
			const to = (target: string) => ({ main: [[{ node: target, type: 'main', index: 0 }]] });
			Object.assign(connections, { Items: to('Send Letter'), 'Send Letter': to(AWAIT) });
		},
	);
	const id = await stack.api.start(workflow);
	const { waitId } = await asleep(id);
	await until('all but one are known', async () => {
		const { outcomes } = (await waitOf(waitId)) as { outcomes: Array<{ outcome: string }> };
		return outcomes.filter((one) => one.outcome === 'none').length === 1;
	});
	const { messages } = await sandboxState(stack.sandbox);
	const kept = messages.find(({ contact }) => contact.email.startsWith('never+kept'));
	await control(stack.sandbox, 'POST', `/messages/${kept?.id}/expire`);
	const execution = await finished(id, waitId);
	expect(execution.error).toBe(null);
	expect(brief(left(execution))).toEqual([
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
	const execution = await stack.api.finished(await stack.api.start(workflow), 150_000);
	expect(left(execution)).toMatchObject([
		{ by: 'Opened', paired: 'a', name: 'a', outcome: 'opened' },
		{ by: 'Opened', paired: 'twin of a', name: 'twin of a', messageId: a.messageId },
		{ by: 'Expired', paired: 'c', outcome: 'undelivered', status: 'UNDELIVERED' },
		{ by: 'None', paired: 'b', outcome: 'none', status: 'RECEIVED' },
	]);
});

it('sleeps over a restart of n8n and of the receiver, and wakes though n8n was away', async () => {
	const [a, b] = letters('a', 'b');
	const workflow = await saveAwaiting(stack, 'Restarts', json.offer([a, b]), awaitOutcome());
	const id = await stack.api.start(workflow);
	const { waitId } = await asleep(id);
	await stack.restartN8n();
	await stack.restartReceiver();
	await emit(stack, 'opened', b.messageId);
	expect((await stack.api.execution(id)).status).toBe('waiting');

	await stack.n8n.stop();
	await emit(stack, 'failed', a.messageId);
	await until('an attempt in vain', async () => Number((await waitOf(waitId)).attempts) > 0);
	await stack.restartReceiver();
	await stack.restartN8n();
	const execution = await finished(id, waitId);
	expect(brief(left(execution))).toEqual([
		['Opened', 'b', 'opened'],
		['Expired', 'a', 'failed'],
	]);
	expect(await waitOf(waitId)).toMatchObject({ state: 'resumed' });
});

it('should the receiver never call, n8n wakes it: nothing passes for accepted', async () => {
	const all = letters('a', 'b', 'c');
	const workflow = await saveAwaiting(stack, 'Backstop', json.offer(all), awaitOutcome());
	const id = await stack.api.start(workflow);
	const { waitId } = await asleep(id);
	await stack.n8n.stop();
	// As if deadline and grace had passed.
	const database = new DatabaseSync(join(stack.folder, 'n8n', '.n8n', 'database.sqlite'));
	const past = new Date(Date.now() - 60_000).toISOString().replace('T', ' ').replace('Z', '');
	const { changes } = database
		.prepare('UPDATE execution_entity SET waitTill = ? WHERE id = ?')
		.run(past, id);
	database.close();
	expect(Number(changes)).toBe(1);
	await stack.restartN8n();
	const execution = await finished(id, waitId);
	expect(brief(left(execution))).toEqual([
		['None', 'a', 'none'],
		['None', 'b', 'none'],
		['None', 'c', 'none'],
	]);
	// What comes now comes too late, and is laid to rest.
	await emit(stack, 'opened', ...all.map(({ messageId }) => messageId));
	await until('the wait is given up', async () => (await waitOf(waitId)).state === 'given-up');
	expect(await waitOf(waitId)).toMatchObject({ lastResult: '409: the execution has finished' });
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
			const to = (target: string) => [{ node: target, type: 'main', index: 0 }];
			connections.Items = { main: [to('Loop')] };
			connections.Loop = { main: [[], to(AWAIT)] };
			for (const name of BEHIND) connections[name] = { main: [to('Loop')] };
		},
	);
	const id = await stack.api.start(workflow);
	const first = await asleep(id);
	await emit(stack, 'opened', a.messageId);
	const second = await until('the second round', async () => {
		const execution = await stack.api.execution(id);
		if (execution.status !== 'waiting') return null;
		const { waitId } = keptOf(execution);
		return waitId !== first.waitId && (await asleep(id));
	});
	expect(second.url).toBe(first.url);
	// Late or again: the first round's outcomes do not wake the second.
	const late = {
		waitId: first.waitId,
		reason: 'complete',
		outcomes: [outcome(a.messageId, 'opened')],
	};
	expect(await post(first.url, first.waitId, late)).toBe(410);
	expect(await post(first.url, second.waitId, late)).toBe(401);
	expect((await stack.api.execution(id)).status).toBe('waiting');
	await emit(stack, 'failed', b.messageId);
	const execution = await stack.api.finished(id, 150_000);
	expect(brief(left(execution))).toEqual([
		['Opened', 'a', 'opened'],
		['Expired', 'b', 'failed'],
	]);
});

it('resumed twice at once, goes on once', async () => {
	const [a, b] = letters('a', 'b');
	const workflow = await saveAwaiting(stack, 'Twice', json.offer([a, b]), awaitOutcome());
	const id = await stack.api.start(workflow);
	const { waitId, url } = await asleep(id);
	const outcomes = [outcome(a.messageId, 'opened'), outcome(b.messageId, 'accepted')];
	const body = { waitId, reason: 'complete', outcomes };
	const answers = await Promise.all([1, 2, 3].map(() => post(url, waitId, body)));
	expect(answers.filter((status) => status === 200)).toHaveLength(1);
	expect(answers.every((status) => [200, 409, 500].includes(status))).toBe(true);
	const execution = await stack.api.finished(id, 150_000);
	expect(execution).toMatchObject({ status: 'success', error: null });
	expect(brief(left(execution))).toEqual([
		['Accepted', 'b', 'accepted'],
		['Opened', 'a', 'opened'],
	]);
	expect(await stack.api.executionIds(workflow.id)).toEqual([id]);
	// The receiver, which learns of it in the end, has nothing to do any more.
	await emit(stack, 'opened', a.messageId, b.messageId);
	await until('the wait is given up', async () => (await waitOf(waitId)).state === 'given-up');
});

it('a stranger who posts to the resume URL changes nothing', async () => {
	const [a] = letters('a');
	const workflow = await saveAwaiting(stack, 'Stranger', json.offer([a]), awaitOutcome());
	const id = await stack.api.start(workflow);
	const { waitId, url } = await asleep(id);
	const body = { waitId, reason: 'complete', outcomes: [outcome(a.messageId, 'accepted')] };
	const foreign = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
	const plain = async (init: RequestInit, to = url) => (await fetch(to, init)).status;
	const post0 = { method: 'POST', headers: { 'content-type': 'application/json' } };
	expect(await plain({ ...post0, body: JSON.stringify(body) })).toBe(401);
	expect(await post(url, waitId, body, foreign)).toBe(401);
	expect(await post(url, waitId, { waitId, nonsense: true })).toBe(401);
	expect(await plain({ ...post0, body: 'not json' })).toBeGreaterThanOrEqual(400);
	expect(await plain({ ...post0 })).toBe(401);
	expect(await post(url.replace(/signature=.*/, 'signature=guessed'), waitId, body)).toBe(401);
	expect(await plain({ method: 'GET' })).toBe(404);
	// Signed, but not of all letters: asleep as well.
	const other = { ...body, outcomes: [outcome('999999999999', 'accepted')] };
	expect(await post(url, waitId, other)).toBe(200);
	expect((await stack.api.execution(id)).status).toBe('waiting');

	await emit(stack, 'opened', a.messageId);
	const execution = await stack.api.finished(id, 150_000);
	expect(brief(left(execution))).toEqual([['Opened', 'a', 'opened']]);
});

it('a batch of 1,000, each paired with its item', async () => {
	const all = letters(...Array.from({ length: 1000 }, (_, n) => `letter ${n}`));
	const workflow = await saveAwaiting(stack, 'Thousand', json.offer(all), awaitOutcome());
	const id = await stack.api.start(workflow);
	await untilAsleep(stack, id);
	const ids = all.map(({ messageId }) => messageId);
	await emit(stack, 'failed', ...ids.filter((_, n) => n % 3 === 0));
	await emit(stack, 'opened', ...ids.filter((_, n) => n % 3 !== 0));
	const execution = await stack.api.finished(id, 150_000);
	const out = left(execution);
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

it('what can go wrong does so before the execution sleeps', async () => {
	const [a] = letters('a');
	const wrong = { name: 'wrong', messageId: '12', type: 'AES' };
	const stops = await saveAwaiting(stack, 'Wrong', json.offer([a, wrong]), awaitOutcome());
	const stopped = await stack.api.finished(await stack.api.start(stops));
	expect(stopped).toMatchObject({
		status: 'error',
		error: { message: expect.stringContaining('"12" is not a message ID') },
	});

	const wait = awaitOutcome({}, { onError: 'continueRegularOutput' });
	const goesOn = await saveAwaiting(stack, 'Wrong, goes on', json.offer([wrong, a]), wait);
	const id = await stack.api.start(goesOn);
	await untilAsleep(stack, id);
	await emit(stack, 'opened', a.messageId);
	const execution = await stack.api.finished(id, 150_000);
	expect(left(execution)).toMatchObject([
		{ by: 'Opened', paired: 'a', outcome: 'opened' },
		{ by: 'None', paired: 'wrong', error: expect.stringContaining('[item 0]') },
	]);

	await stack.stopReceiver();
	const away = await saveAwaiting(stack, 'Receiver away', json.offer([a]), awaitOutcome());
	const refused = await stack.api.finished(await stack.api.start(away));
	await stack.restartReceiver();
	expect(refused).toMatchObject({
		status: 'error',
		error: { message: 'The webhook receiver cannot be reached' },
	});
	expect(refused.raw).not.toContain(stack.managementToken);
});

it('an execution that is stopped meanwhile is left alone', async () => {
	const [a] = letters('a');
	const workflow = await saveAwaiting(stack, 'Stopped', json.offer([a]), awaitOutcome());
	const id = await stack.api.start(workflow);
	const { waitId } = await asleep(id);
	await stack.api.stop(id);
	await emit(stack, 'opened', a.messageId);
	await until('an attempt', async () => Number((await waitOf(waitId)).attempts) > 0);
	const execution = await stack.api.execution(id);
	expect(execution.status).toBe('canceled');
	expect(left(execution)).toEqual([]);
});
