import type { WorkflowFile } from './api.ts';

export type { WorkflowFile } from './api.ts';

/** The credentials that example workflows refer to, by name. */
export const EXAMPLE_CREDENTIALS = {
	service: { name: 'Registered Delivery (sandbox)', type: 'registeredDeliveryApi' },
	reseller: { name: 'Registered Delivery reseller (sandbox)', type: 'registeredDeliveryApi' },
	receiver: { name: 'Registered Delivery Receiver (local)', type: 'registeredDeliveryReceiverApi' },
} as const;

/** Puts the ids that credentials have in this n8n, by their names, into an example workflow. */
export function withCredentials(workflow: WorkflowFile, ids: Record<string, string>): WorkflowFile {
	for (const node of workflow.nodes) {
		const credentials = (node.credentials ?? {}) as Record<string, { id: string; name: string }>;
		for (const reference of Object.values(credentials)) {
			reference.id = ids[reference.name] ?? reference.id;
		}
	}
	return workflow;
}
