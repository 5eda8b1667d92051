import { DatabaseSync } from 'node:sqlite';

import { parse as parseFlatted } from 'flatted';

import type { StoredWorkflow } from '../../n8n/api.ts';
import { until } from '../../n8n/poll.ts';
import { afterRow } from '../clean-up.ts';
import { sharedN8n } from './stack.ts';
import type { Starter } from './starters.ts';

interface StoredRun {
	/** Milliseconds since 1970. */
	startTime: number;
	/** Milliseconds. */
	executionTime: number;
	data?: { main?: Array<unknown[] | null> };
}

/** @param data of an execution as n8n stores it */
function lastRun(data: string, node: string) {
	const { resultData } = parseFlatted(data) as {
		resultData: { runData: Record<string, StoredRun[]> };
	};
	const run = resultData.runData[node]?.at(-1);
	if (!run) throw new Error(`The node "${node}" has not run.`);
	return { ...run, items: run.data?.main?.[0]?.length ?? 0 };
}

/**
 * Runs the workflow from its manual trigger.
 *
 * @returns seconds that the named nodes took together, as n8n measured them
 * @throws Error when the execution failed, or the last node returned another number of items
 */
export async function timeNodes(
	workflow: StoredWorkflow,
	names: string[],
	items: number,
): Promise<number> {
	const { stack } = await sharedN8n();
	const { status, error, raw } = await stack.api.run(workflow, { timeout: 900_000 });
	if (status !== 'success') throw new Error(`"${workflow.name}" ${status}: ${error?.message}`);
	const runs = names.map((name) => lastRun(raw, name));
	const given = runs.at(-1)?.items;
	if (given !== items) throw new Error(`"${workflow.name}" gave ${given} items, not ${items}.`);
	return runs.reduce((sum, { executionTime }) => sum + executionTime, 0) / 1000;
}

/** An execution that has ended. */
export interface Ended {
	/** When its first node started, in milliseconds since 1970. */
	startTime: number;
	/** How many items that node returned. */
	items: number;
	stoppedAt: number;
}

/** The executions that a workflow's events have started. */
export interface Executions {
	/**
	 * Waits until executions that ended since the last call hold that many items, none lost and
	 * none twice.
	 */
	untilItems(wanted: number): Promise<Ended[]>;
}

/** Reads them from n8n's database. Asking n8n itself would take up time that is being measured. */
export async function watchExecutions({ workflow, node }: Starter): Promise<Executions> {
	const { stack } = await sharedN8n();
	const database = new DatabaseSync(stack.n8nDatabase, { readOnly: true });
	afterRow(async () => database.close());
	const lastId = database.prepare(
		'SELECT coalesce(max(id), 0) AS id FROM execution_entity WHERE workflowId = ?',
	);
	// n8n stores `2026-01-31 09:30:00.000`, in UTC.
	const endedOnes = database.prepare(
		`SELECT id, status, data, unixepoch(stoppedAt, 'subsec') * 1000 AS stoppedAt
		FROM execution_entity JOIN execution_data ON executionId = id
		WHERE workflowId = ? AND id > ? AND stoppedAt IS NOT NULL
			AND id NOT IN (SELECT value FROM json_each(?))`,
	);
	// Saving a workflow under an existing name keeps its executions.
	const { id: last } = lastId.get(workflow.id) as { id: number };
	const seen = new Set<number>();
	return {
		async untilItems(wanted) {
			const all: Ended[] = [];
			const sum = () => all.reduce((total, { items }) => total + items, 0);
			const look = async () => {
				for (const row of endedOnes.iterate(workflow.id, last, JSON.stringify([...seen]))) {
					const { id, status, data, stoppedAt } = row as unknown as StoredExecution;
					if (status !== 'success') throw new Error(`Execution ${id} ended as ${status}.`);
					const { startTime, items } = lastRun(data, node);
					seen.add(id);
					all.push({ startTime, items, stoppedAt });
				}
				return sum() >= wanted;
			};
			await until(`${wanted} items in executions`, look, 600);
			if (sum() !== wanted) throw new Error(`${wanted} events became ${sum()} items.`);
			return all;
		},
	};
}

interface StoredExecution {
	id: number;
	status: string;
	data: string;
	stoppedAt: number;
}
