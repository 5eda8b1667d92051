import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	ISourceData,
	IWebhookFunctions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** What the sleeping node has to know when it wakes. No secret: n8n stores it with the execution. */
export interface Sleeping {
	waitId: string;
	/** Of the wait's secret, see `waitSecret.ts`. */
	secretDigest: string;
	/** Message id of each input item, by its index; null for one that was wrong. */
	messageIds: Array<string | null>;
	/** What was wrong with it, by item index. */
	faults: Record<string, IDataObject>;
	/** Whether all items leave by one output. */
	together: boolean;
	/** Where the input items stand in the execution, so that they need not be kept twice. */
	source: ISourceData | null;
}

const KEY = 'sleeping';

/**
 * Kept in the node's context. A node sleeps in one run at a time, since n8n puts the whole execution to
 * sleep, so in a loop each run replaces what the one before left.
 */
export function rememberSleeping(context: IExecuteFunctions, sleeping: Sleeping): void {
	context.getContext('node')[KEY] = sleeping as unknown as IDataObject;
}

/**
 * What is remembered, read from `webhook()`, where n8n gives no context but through expressions.
 *
 * @throws when there is nothing of the kind
 */
export function readSleeping(context: IWebhookFunctions): Sleeping {
	const name = JSON.stringify(context.getNode().name);
	const kept = context.evaluateExpression(`{{ $node[${name}].context[${JSON.stringify(KEY)}] }}`);
	if (!isSleeping(kept))
		throw new NodeOperationError(context.getNode(), 'The execution does not sleep');
	return kept;
}

/** The input items, from where they stand. */
export function readInput(context: IWebhookFunctions, { source }: Sleeping): INodeExecutionData[] {
	if (source === null) return [];
	const { previousNode, previousNodeOutput = 0, previousNodeRun = 0 } = source;
	// `true` for whole items, binary data included.
	const node = `$(${JSON.stringify(previousNode)}, true)`;
	const items = context.evaluateExpression(
		`{{ ${node}.all(${previousNodeOutput}, ${previousNodeRun}) }}`,
	);
	return Array.isArray(items) ? (items as unknown as INodeExecutionData[]) : [];
}

function isSleeping(kept: unknown): kept is Sleeping {
	const { waitId, secretDigest, messageIds } = (kept ?? {}) as Partial<Sleeping>;
	return (
		typeof waitId === 'string' && typeof secretDigest === 'string' && Array.isArray(messageIds)
	);
}
