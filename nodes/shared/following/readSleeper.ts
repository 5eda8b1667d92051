import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { isSleeping, type Followed } from './sleeping';

/** An execution that sleeps in one of our nodes, as n8n's API shows it. */
export interface Sleeper
	extends Pick<Followed, 'subjects' | 'secret' | 'resumeUrl' | 'instance' | 'since'> {
	executionId: string;
	/** Of the node that it sleeps in. */
	nodeId: string;
	waitId: string;
	/** When the wait ends, or a part of it, in milliseconds since 1970. */
	end: number;
}

/**
 * Reads an execution of n8n's API, with its data. Null if it does not sleep, or not in a node of ours that n8n
 * itself follows: an execution remembers of all its nodes what they waited for.
 */
export function readSleeper(execution: Record<string, unknown>): Sleeper | null {
	const { status, data } = execution;
	if (status !== 'waiting' || !isRecord(data) || !isRecord(data.executionData)) return null;
	const { nodeExecutionStack, contextData } = data.executionData;
	const [entry] = Array.isArray(nodeExecutionStack) ? (nodeExecutionStack as unknown[]) : [];
	const node = isRecord(entry) && isRecord(entry.node) ? entry.node : {};
	const context = isRecord(contextData) ? contextData[`node:${String(node.name)}`] : null;
	const sleeping = isRecord(context) ? context.sleeping : null;
	if (!isSleeping(sleeping) || !isRecord(sleeping.followed?.subjects)) return null;
	const { waitId, ends, followed } = sleeping;
	const ids = { executionId: String(execution.id), nodeId: String(node.id), waitId };
	return { ...followed, ...ids, end: Date.parse(ends[0]) };
}
