import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { isStoredWait, WAIT_KEY, type StoredWait, type WokenByN8n } from './storedWait';

/** An execution that sleeps in one of our nodes, as n8n's API shows it. */
export interface SleepingExecution extends Pick<StoredWait, 'waitId' | 'subjects'>, WokenByN8n {
	executionId: string;
	/** Of the node that it sleeps in. */
	nodeId: string;
	/** When it is to be awake at the latest, in milliseconds since 1970. */
	end: number;
}

/**
 * Reads an execution of n8n's API, with its data. Null if it does not sleep, or not in a node of ours that n8n
 * itself wakes: an execution remembers of all its nodes what they waited for.
 */
export function readSleepingExecution(
	execution: Record<string, unknown>,
): SleepingExecution | null {
	const { status, data } = execution;
	if (status !== 'waiting' || !isRecord(data) || !isRecord(data.executionData)) return null;
	const { nodeExecutionStack, contextData } = data.executionData;
	const [entry] = Array.isArray(nodeExecutionStack) ? (nodeExecutionStack as unknown[]) : [];
	const node = isRecord(entry) && isRecord(entry.node) ? entry.node : {};
	const context = isRecord(contextData) ? contextData[`node:${String(node.name)}`] : null;
	const wait = isRecord(context) ? context[WAIT_KEY] : null;
	if (!isStoredWait(wait) || !isRecord(wait.byN8n) || !isRecord(wait.subjects)) return null;
	const { waitId, subjects, ends, byN8n } = wait;
	const ids = { executionId: String(execution.id), nodeId: String(node.id), waitId };
	return { ...byN8n, ...ids, subjects, end: Date.parse(ends[0]) };
}
