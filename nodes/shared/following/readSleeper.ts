import { isRecord } from '../fields/isRecord';
import { isSleeping } from '../waiting/sleeping';
import type { Sleeper } from './plan';

/** A sleeping execution, and the node that it sleeps in. */
export interface Found {
	nodeId: string;
	sleeper: Sleeper;
}

/**
 * Reads an execution of n8n's API, with its data. Null if it does not sleep, or not in a node of ours that n8n
 * itself follows: an execution remembers of all its nodes what they waited for.
 */
export function readSleeper(execution: Record<string, unknown>): Found | null {
	const { status, data } = execution;
	if (status !== 'waiting' || !isRecord(data) || !isRecord(data.executionData)) return null;
	const { nodeExecutionStack, contextData } = data.executionData;
	const [entry] = Array.isArray(nodeExecutionStack) ? (nodeExecutionStack as unknown[]) : [];
	const node = isRecord(entry) && isRecord(entry.node) ? entry.node : {};
	const context = isRecord(contextData) ? contextData[`node:${String(node.name)}`] : null;
	const sleeping = isRecord(context) ? context.sleeping : null;
	if (!isSleeping(sleeping) || !sleeping.followed) return null;
	const { waitId, ends, followed } = sleeping;
	const executionId = String(execution.id);
	const sleeper = { ...followed, executionId, waitId, end: Date.parse(ends[0]) };
	return { nodeId: String(node.id), sleeper };
}
