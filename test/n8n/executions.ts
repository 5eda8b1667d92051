import { DatabaseSync } from 'node:sqlite';
import { parse as parseFlatted } from 'flatted';

import type { OutputItem } from './api.ts';

/** An execution as stored in n8n's database, finished or not. */
export interface StoredExecution {
	id: number;
	mode: string;
	status: string;
	/** The execution that this one was started again from. */
	retryOf: number | null;
	/** Milliseconds since 1970; null until it begins, and until it ends. */
	startedAt: number | null;
	stoppedAt: number | null;
	/** Not kept, but not yet removed by n8n; its status is still the initial one. */
	isDeleted: boolean;
	/** Output of the node that started it, even if n8n was killed before it recorded any run. */
	started: OutputItem[];
	/** By node name, in order. */
	runs: Record<string, NodeRun[]>;
}

export interface NodeRun {
	/** Empty if n8n lost it. */
	input: OutputItem[];
	outputs: OutputItem[][];
}

/**
 * A workflow's executions in the order n8n created them, read from n8n's own database: n8n may be
 * busy, stopped or dead.
 *
 * @param file n8n's SQLite file
 */
export function readExecutions(file: string, workflowId: string): StoredExecution[] {
	const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
	try {
		const rows = database
			.prepare(
				`SELECT id, mode, status, retryOf, startedAt, stoppedAt, deletedAt, data
				FROM execution_entity JOIN execution_data ON executionId = id
				WHERE execution_entity.workflowId = ? ORDER BY id`,
			)
			.all(workflowId) as unknown as Row[];
		return rows.map(({ retryOf, startedAt, stoppedAt, ...row }) =>
			toStored({
				...row,
				retryOf: retryOf === null ? null : Number(retryOf),
				startedAt: startedAt === null ? null : milliseconds(startedAt),
				stoppedAt: stoppedAt === null ? null : milliseconds(stoppedAt),
			}),
		);
	} finally {
		database.close();
	}
}

/** @param row as stored in either of n8n's databases, its times parsed */
export function toStored({
	data,
	deletedAt,
	...row
}: Omit<StoredExecution, 'started' | 'runs' | 'isDeleted'> & {
	data: string;
	deletedAt: unknown;
}): StoredExecution {
	const stored = parseFlatted(data) as StoredData;
	return {
		...row,
		isDeleted: deletedAt !== null,
		started: startingItems(stored),
		runs: runsIn(stored.resultData),
	};
}

interface Row {
	id: number;
	mode: string;
	status: string;
	retryOf: string | null;
	startedAt: string | null;
	stoppedAt: string | null;
	deletedAt: string | null;
	data: string;
}

interface StoredData {
	resultData: {
		runData: Record<string, StoredRun[]>;
	};
	executionData?: {
		nodeExecutionStack: Array<{ source: unknown; data: { main?: OutputItem[][] } }>;
	};
}

interface StoredRun {
	executionIndex?: number;
	data?: { main?: Array<OutputItem[] | null> };
	source?: Array<{
		previousNode: string;
		previousNodeOutput?: number;
		previousNodeRun?: number;
	} | null>;
}

/** Output of the first run; until n8n has recorded it, the input queued for it. */
function startingItems({ resultData, executionData }: StoredData): OutputItem[] {
	const [first] = Object.values(resultData.runData).flatMap(([run]) =>
		run?.executionIndex === 0 ? [run] : [],
	);
	const noted = outputsOf(first)[0] ?? [];
	if (noted.length > 0) return noted;
	const ready = executionData?.nodeExecutionStack.find(({ source }) => source === null);
	// A failed start leaves nothing there.
	return ready?.data.main?.[0] ?? [];
}

function runsIn({ runData }: StoredData['resultData']): StoredExecution['runs'] {
	const inputOf = (run?: StoredRun) =>
		(run?.source ?? []).flatMap((source) => {
			if (source === null) return [];
			const { previousNode, previousNodeRun = 0, previousNodeOutput = 0 } = source;
			return outputsOf(runData[previousNode]?.[previousNodeRun])[previousNodeOutput] ?? [];
		});
	return Object.fromEntries(
		Object.entries(runData).map(([name, runs]) => [
			name,
			runs.map((run) => ({ input: inputOf(run), outputs: outputsOf(run) })),
		]),
	);
}

/** What a node gave; nothing if n8n lost it in a crash, and put an item of its own in its place. */
function outputsOf(run?: StoredRun): OutputItem[][] {
	const outputs = (run?.data?.main ?? []).map((items) => items ?? []);
	const isLost = outputs.flat().some(({ json }) => 'isArtificialRecoveredEventItem' in json);
	return isLost ? [] : outputs;
}

// n8n stores `2026-01-31 09:30:00.000` in UTC.
function milliseconds(stored: string): number {
	return Date.parse(`${stored.replace(' ', 'T')}Z`);
}
