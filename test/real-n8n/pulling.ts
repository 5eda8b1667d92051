// Workflows that start by events, for the tests of pulling in a real n8n.
import type { N8nApi, StoredWorkflow, WorkflowFile } from '../n8n/api.ts';
import { RECEIVER_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { node } from './workflows.ts';

type Node = WorkflowFile['nodes'][number];

export const CREDENTIAL_TYPE = 'registeredDeliveryReceiverApi';

/** Notes each event, as the example does. */
export const NOTE = node('Note', 'n8n-nodes-base.set', 3.4, {
	assignments: {
		assignments: [{ id: 'note', name: 'note', type: 'string', value: '={{ $json.type }}' }],
	},
	includeOtherFields: true,
	options: {},
});

/** Stops for so many seconds; n8n keeps an execution in its memory that waits less than 65. */
export const pause = (seconds: number, name = 'Pause'): Node =>
	node(
		name,
		'n8n-nodes-base.wait',
		1.1,
		{ amount: seconds, unit: 'seconds' },
		{ webhookId: crypto.randomUUID() },
	);

/** Fails its execution. */
export const FAIL = node('Fail', 'n8n-nodes-base.stopAndError', 1, { errorMessage: 'On purpose' });

export interface Scene {
	/** Of the trigger. */
	options?: object;
	/** What follows the trigger, one after the other. */
	nodes?: Node[];
	/** Stand alone, unconnected. */
	beside?: Node[];
	settings?: object;
	/** By name and id; the stack's own is taken if there is none. */
	credential?: { id: string; name: string };
	/** Where the workflow goes, if not to the stack's n8n. */
	api?: N8nApi;
}

/** Saves a workflow that asks for all events of one reference. */
export async function saveScene(
	stack: Stack,
	name: string,
	reference: string,
	scene: Scene = {},
): Promise<StoredWorkflow> {
	const { options, nodes = [NOTE], beside = [], settings, api = stack.api } = scene;
	const credential = scene.credential ?? {
		id: stack.credentialId(RECEIVER_CREDENTIAL),
		name: RECEIVER_CREDENTIAL,
	};
	const trigger = node(
		'Trigger',
		'n8n-nodes-registered-delivery.registeredDeliveryTrigger',
		1,
		{ events: ['*'], options: { fileReference: reference, ...options } },
		{ credentials: { [CREDENTIAL_TYPE]: credential } },
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
