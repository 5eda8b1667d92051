import { createHmac } from 'node:crypto';

import type { Execution, StoredWorkflow, WorkflowFile } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import { RECEIVER_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { node, START } from './workflows.ts';

export const AWAIT = 'Await Outcome';

/** Nodes behind the outputs of Await Outcome, in their order. */
export const BEHIND = ['Accepted', 'Refused', 'Opened', 'Expired', 'None'] as const;

type Node = WorkflowFile['nodes'][number];

/** What the node behind an output got: the letter's name by its pairing, and its outcome. */
export interface Left {
	by: (typeof BEHIND)[number];
	/** As `$('Items').item` tells. */
	paired: unknown;
	/** As the item itself tells. */
	name: unknown;
	messageId: unknown;
	outcome: unknown;
	status: unknown;
	error: unknown;
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

const items = (url: string): Node =>
	node('Items', 'n8n-nodes-base.httpRequest', 4.2, { url, options: {} });

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

/** Start → Items → Await Outcome → a node behind each output, or with `between` other nodes before. */
export async function saveAwaiting(
	stack: Stack,
	name: string,
	url: string,
	wait: Node = awaitOutcome(),
	shape: (nodes: Node[], connections: Record<string, unknown>) => void = () => undefined,
): Promise<StoredWorkflow> {
	const nodes = [START, items(url), wait, ...BEHIND.map(behind)].map((one, index) => ({
		...one,
		position: [index * 220, 0],
		...(one === wait && { credentials: { registeredDeliveryReceiverApi: credentialOf(stack) } }),
	}));
	const to = (target: string) => [{ node: target, type: 'main', index: 0 }];
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

function credentialOf(stack: Stack) {
	return { id: stack.credentialId(RECEIVER_CREDENTIAL), name: RECEIVER_CREDENTIAL };
}

/** Waits until the execution sleeps. */
export async function untilAsleep({ api }: Stack, id: string, patience = 60): Promise<void> {
	const isAsleep = async () => {
		const { status, error } = await api.execution(id);
		if (status === 'error') throw new Error(`It failed: ${JSON.stringify(error)}`);
		return status === 'waiting';
	};
	await until('the execution to sleep', isAsleep, patience);
}

/** By which output each item left, in the order of the outputs. */
export function left({ runs }: Execution): Left[] {
	return BEHIND.flatMap((by) =>
		(runs[by] ?? []).flatMap((outputs) =>
			outputs[0].map(({ json }) => {
				const { messageId, outcome, status } = (json.outcome ?? {}) as Record<string, unknown>;
				const { paired, name, error } = json;
				return { by, paired, name, messageId, outcome, status, error };
			}),
		),
	);
}

/** Posts events of tracked mail to the receiver, signed as the service signs them. */
export async function emit(stack: Stack, state: string, ...messageIds: string[]): Promise<void> {
	const timestamp = new Date().toISOString();
	const events = messageIds.map((messageId) => ({ event: `aes_${state}`, messageId, timestamp }));
	const body = JSON.stringify(events);
	const seconds = String(Math.floor(Date.now() / 1000));
	const hmac = createHmac('sha256', stack.hmacSecret).update(`${seconds}.${body}`).digest('hex');
	const request = () =>
		fetch(`${stack.receiver.url}/events`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'x-webhook-timestamp': seconds,
				'x-webhook-signature': hmac,
			},
			body,
		});
	// As a service would, once more where the connection breaks: the receiver knows them by then.
	const answer = await request().catch(request);
	if (!answer.ok) throw new Error(`The receiver answered ${answer.status}: ${await answer.text()}`);
}
