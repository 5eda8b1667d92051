import { readdir } from 'node:fs/promises';

import type { WorkflowFile } from './api.ts';

export type { WorkflowFile } from './api.ts';

/** The credentials that example workflows refer to, by name. */
export const EXAMPLE_CREDENTIALS = {
	service: { name: 'Registered Delivery (sandbox)', type: 'registeredDeliveryApi' },
	reseller: { name: 'Registered Delivery reseller (sandbox)', type: 'registeredDeliveryApi' },
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

/** Puts other credentials of this n8n into an example workflow, by their types. */
export const using =
	(ids: Record<string, string>) =>
	({ nodes }: WorkflowFile): void => {
		for (const { credentials = {} } of nodes) {
			for (const [type, used] of Object.entries(credentials as Record<string, { id: string }>)) {
				used.id = ids[type] ?? used.id;
			}
		}
	};

/** The workflows in `examples/`, by file name. */
export const exampleFiles = async (): Promise<string[]> =>
	(await readdir('examples')).filter((file) => file.endsWith('.json')).sort();

/** Names of the credentials that these nodes refer to and n8n does not have. */
export function missingCredentials(nodes: WorkflowFile['nodes'], known: string[]): string[] {
	const names = nodes.flatMap(({ credentials = {} }) =>
		Object.values(credentials as Record<string, { name: string }>).map(({ name }) => name),
	);
	return [...new Set(names)].filter((name) => !known.includes(name));
}

/**
 * Lets an example write into another folder. The examples name the one into which n8n may write in its
 * container; outside of it, that is `.n8n-files` in n8n's home.
 */
export function writingTo(folder: string, workflow: WorkflowFile): WorkflowFile {
	const quoted = JSON.stringify(folder).slice(1, -1);
	const text = JSON.stringify(workflow).replaceAll('/home/node/.n8n-files', () => quoted);
	return JSON.parse(text) as WorkflowFile;
}
