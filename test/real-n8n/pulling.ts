// Workflows started by events, for the tests of pulling in a real n8n.
import type { N8nApi, StoredWorkflow, WorkflowFile } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';
import { node } from './workflows.ts';

type Node = WorkflowFile['nodes'][number];

/** The same in all workflows, as if they were imported from one file. */
const TRIGGER_ID = '5b1f7f0a-93c4-4f1c-8a55-6f0f2d9e7a01';

/** Records each event, as the example does. */
export const NOTE = node('Note', 'n8n-nodes-base.set', 3.4, {
	assignments: {
		assignments: [{ id: 'note', name: 'note', type: 'string', value: '={{ $json.type }}' }],
	},
	includeOtherFields: true,
	options: {},
});

/** Pauses for that many seconds; n8n keeps an execution that waits less than 65 in memory. */
export const pause = (seconds: number, name = 'Pause'): Node =>
	node(
		name,
		'n8n-nodes-base.wait',
		1.1,
		{ amount: seconds, unit: 'seconds' },
		{ webhookId: crypto.randomUUID() },
	);

export interface Scene {
	/** Options of the trigger. */
	options?: object;
	/** Nodes after the trigger, in a chain. */
	nodes?: Node[];
	/** Unconnected nodes. */
	beside?: Node[];
	settings?: object;
	/** By name and id; defaults to the stack's own. */
	credential?: { id: string; name: string };
	/** Where to save the workflow; defaults to the stack's n8n. */
	api?: N8nApi;
}

/** Saves a workflow that subscribes to all events with one reference. */
export async function saveScene(
	stack: Stack,
	name: string,
	reference: string,
	scene: Scene = {},
): Promise<StoredWorkflow> {
	const { options, nodes = [NOTE], beside = [], settings, api = stack.api } = scene;
	const { credential = stack.credential() } = scene;
	const trigger = node(
		'Trigger',
		'n8n-nodes-registered-delivery.registeredDeliveryTrigger',
		1,
		{ events: ['*'], simplify: false, options: { fileReference: reference, ...options } },
		{ id: TRIGGER_ID, credentials: { registeredDeliveryApi: credential } },
	);
	const chain = [trigger, ...nodes].map((one, at) => ({ ...one, position: [at * 220, 0] }));
	const connections = chain.slice(1).map(({ name: to }, at) => {
		return [chain[at].name, { main: [[{ node: to, type: 'main', index: 0 }]] }];
	});
	return await api.saveWorkflow({
		name,
		nodes: [...chain, ...beside],
		connections: Object.fromEntries(connections) as object as Record<string, unknown>,
		settings: { executionOrder: 'v1', ...settings },
	});
}
