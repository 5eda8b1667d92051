import { parse as parseFlatted } from 'flatted';

import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';

/** What an execution says of one run of a node. */
export interface NodeRun {
	/** Milliseconds since 1970. */
	startTime: number;
	/** Milliseconds. */
	executionTime: number;
	/** How many items it gave. */
	items: number;
}

interface StoredRun {
	resultData: {
		runData: Record<
			string,
			Array<{ startTime: number; executionTime: number; data?: { main?: Array<unknown[] | null> } }>
		>;
	};
}

/** The last run of each node, by name, of an execution as n8n stores it. */
export function nodeRuns(data: string): Record<string, NodeRun> {
	const { resultData } = parseFlatted(data) as StoredRun;
	return Object.fromEntries(
		Object.entries(resultData.runData).map(([name, runs]) => {
			const last = runs.at(-1);
			const items = last?.data?.main?.[0]?.length ?? 0;
			return [
				name,
				{ startTime: last?.startTime ?? 0, executionTime: last?.executionTime ?? 0, items },
			];
		}),
	);
}

/**
 * Runs the workflow from its manual trigger.
 *
 * @returns seconds that the named nodes took together, as n8n measured them, and what they gave
 * @throws Error when the execution did not succeed
 */
export async function timeNodes(
	{ api }: Stack,
	workflow: StoredWorkflow,
	names: string[],
): Promise<{ seconds: number; items: number; execution: Execution }> {
	const execution = await api.run(workflow, { timeout: 900_000 });
	if (execution.status !== 'success') {
		throw new Error(`"${workflow.name}" ended as ${execution.status}: ${execution.error?.message}`);
	}
	const runs = nodeRuns(execution.raw);
	const milliseconds = names.reduce((sum, name) => sum + runs[name].executionTime, 0);
	return { seconds: milliseconds / 1000, items: runs[names.at(-1) ?? ''].items, execution };
}
