import { parse as parseFlatted } from 'flatted';

import type { Execution, N8nApi, StoredWorkflow, WorkflowFile } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { itemsFrom, node, START, untilServed, webhook } from './workflows.ts';
import { signedHeaders } from '../support/signed-headers.ts';

export const AWAIT = 'Await Outcome';

/** Nodes behind Await Outcome's outputs, in the same order and with the same names. */
export const BEHIND = ['Accepted', 'Refused', 'Opened', 'Expired', 'Pending'] as const;

type Node = WorkflowFile['nodes'][number];
type Shape = (nodes: Node[], connections: Record<string, unknown>) => void;

let last = 0;

/** Tracked mail that has no waits yet and is unknown to the sandbox. */
export function letters(...names: string[]) {
	return names.map((name) => ({ name, messageId: String(++last).padStart(12, '0'), type: 'AES' }));
}

export const awaitOutcome = (parameters: object = {}, more: object = {}): Node =>
	node(
		AWAIT,
		'n8n-nodes-registered-delivery.awaitOutcome',
		1,
		{
			messageId: '={{ $json.messageId }}',
			messageType: '={{ $json.type }}',
			deadlineMode: 'after',
			deadlineAmount: 1,
			deadlineUnit: 'hours',
			options: {},
			...parameters,
		},
		{ webhookId: crypto.randomUUID(), ...more },
	);

export const AWAIT_CONSENT = 'Await Consent';

/** Asks each item's contact by e-mail. */
const awaitConsent = (options: object, credentials: object): Node =>
	node(
		AWAIT_CONSENT,
		'n8n-nodes-registered-delivery.awaitConsent',
		1,
		{
			askBy: 'email',
			recipientsFrom: 'item',
			deadlineMode: 'after',
			deadlineAmount: 1,
			deadlineUnit: 'hours',
			options,
		},
		{ webhookId: crypto.randomUUID(), position: [400, 200], credentials },
	);

const behind = (name: string): Node =>
	node(name, 'n8n-nodes-base.set', 3.4, {
		assignments: {
			assignments: [
				{ id: name, name: 'paired', type: 'string', value: "={{ $('Items').item.json.name }}" },
			],
		},
		includeOtherFields: true,
		options: {},
	});

export const to = (target: string) => [{ node: target, type: 'main', index: 0 }];

/** Start → Items → Await Outcome → a node behind each output; `shape` changes it. */
export async function saveAwaiting(
	stack: Stack,
	name: string,
	url: string,
	wait: Node = awaitOutcome(),
	shape: Shape = () => undefined,
): Promise<StoredWorkflow> {
	const nodes = [START, itemsFrom(url), wait, ...BEHIND.map(behind)].map((one, index) => ({
		...one,
		position: [index * 220, 0],
		// Without a credential of its own, it is followed by the receiver.
		...(one === wait && { credentials: one.credentials ?? stack.credentials }),
	}));
	const connections: Record<string, unknown> = {
		Start: { main: [to('Items')] },
		Items: { main: [to(AWAIT)] },
		[AWAIT]: { main: BEHIND.map((target) => to(target)) },
	};
	shape(nodes, connections);
	return await stack.api.saveWorkflow({
		name,
		nodes,
		connections,
		settings: { executionOrder: 'v1', saveManualExecutions: true },
	});
}

export interface PublishedAwaiting {
	workflow: StoredWorkflow;
	/** Starts an execution for each URL of letters and waits until all sleep. @returns their ids */
	fallAsleep(...urls: string[]): Promise<string[]>;
}

/** The same, published, and started by a webhook that receives the URL of the letters. */
export async function publishAwaiting(
	stack: Stack,
	name: string,
	wait: Node = awaitOutcome(),
	shape: Shape = () => undefined,
): Promise<PublishedAwaiting> {
	const path = crypto.randomUUID();
	const from = '={{ $json.body.url }}';
	const workflow = await saveAwaiting(stack, name, from, wait, (nodes, connections) => {
		nodes.splice(0, 1, webhook(path));
		shape(nodes, connections);
	});
	await stack.api.activate(workflow.id);
	const fallAsleep = async (...urls: string[]) => {
		const address = `${stack.n8n.url}/webhook/${path}`;
		await untilServed(address);
		const before = await stack.api.executionIds(workflow.id);
		for (const url of urls) {
			const headers = { 'content-type': 'application/json' };
			const init = { method: 'POST', headers, body: JSON.stringify({ url }) };
			expect((await fetch(address, init)).ok).toBe(true);
		}
		const ids = await until('the executions', async () => {
			const started = (await stack.api.executionIds(workflow.id)).slice(before.length);
			return started.length === urls.length && started;
		});
		for (const id of ids) await untilAsleep(stack, id, 120);
		return ids;
	};
	return { workflow, fallAsleep };
}

/** The same of Await Consent, with nothing behind it. */
export async function publishAwaitingConsent(
	stack: Stack,
	options: object,
	credentials: object = stack.credentials,
): Promise<PublishedAwaiting> {
	return await publishAwaiting(stack, 'Consent', awaitOutcome(), (nodes, connections) => {
		nodes.push(awaitConsent(options, credentials));
		connections.Items = { main: [to(AWAIT_CONSENT)] };
	});
}

/** Waits until the execution sleeps. */
export async function untilAsleep(
	{ api }: { api: N8nApi },
	id: string,
	patience = 60,
): Promise<void> {
	const isAsleep = async () => {
		const { status, error } = await api.execution(id);
		if (status === 'error') throw new Error(`It failed: ${JSON.stringify(error)}`);
		if (status === 'success') throw new Error('It ended, and was never seen asleep.');
		return status === 'waiting';
	};
	await until('the execution to sleep', isAsleep, patience);
}

/** What n8n stores for a sleeping execution: its wait, and where to resume it. */
export async function asleep(stack: Stack, id: string) {
	await untilAsleep(stack, id);
	const { raw } = await stack.api.execution(id);
	const { resumeToken, executionData } = parseFlatted(raw) as {
		resumeToken: string;
		executionData: { contextData: Record<string, { wait: { waitId: string } }> };
	};
	const { waitId } = executionData.contextData[`node:${AWAIT}`].wait;
	return {
		waitId,
		url: `${stack.n8n.url}/webhook-waiting/${id}/registered-delivery?signature=${resumeToken}`,
	};
}

/** The receiver's view of a wait. */
export async function waitOf(stack: Stack, waitId: string): Promise<Record<string, unknown>> {
	return await stack.receiverApi.call('GET', `/waits/${waitId}`);
}

/** The execution once it has ended; if it does not, fails with the receiver's view of the wait. */
export async function woken(stack: Stack, id: string, waitId?: string): Promise<Execution> {
	try {
		return await stack.api.finished(id, 120_000);
	} catch (error) {
		const known = waitId === undefined ? '' : JSON.stringify(await waitOf(stack, waitId));
		throw new Error(`${(error as Error).message} ${known}`);
	}
}

/** By which output each item left, in their order; the name of its letter by `$('Items').item`, and its outcome. */
export const brief = ({ runs }: Execution) =>
	BEHIND.flatMap((by) =>
		(runs[by] ?? []).flatMap((outputs) =>
			outputs[0].map(({ json }) => {
				const { outcome } = (json.outcome ?? {}) as { outcome?: unknown };
				return [by, json.paired, outcome];
			}),
		),
	);

/** Posts events of tracked mail to the receiver, signed as the service signs them. */
export async function emit(stack: Stack, state: string, ...messageIds: string[]): Promise<void> {
	const timestamp = new Date().toISOString();
	const events = messageIds.map((messageId) => ({ event: `aes_${state}`, messageId, timestamp }));
	const body = JSON.stringify(events);
	const headers = signedHeaders(body, stack.hmacSecret);
	const request = () => fetch(`${stack.receiver.url}/events`, { method: 'POST', headers, body });
	// Like a service, retries when the connection breaks: by then the receiver knows them.
	const answer = await request().catch(request);
	if (!answer.ok) throw new Error(`The receiver answered ${answer.status}: ${await answer.text()}`);
}
