import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ErrorText } from '../items/itemError';

/** The code of an error that says that a letter may have been sent. */
export const OUTCOME_UNKNOWN = 'outcome-unknown';

/**
 * The error that an item had when it left this node, or another of this pack, of unknown outcome: an error output was
 * wired back. Null for any other item.
 */
export function unknownBefore(context: IExecuteFunctions, itemIndex: number): ErrorText | null {
	const items = [context.getInputData().at(itemIndex), ownOutput(context, itemIndex)];
	for (const item of items) {
		const { description, ...data } = (item?.json.details ?? {}) as IDataObject;
		if (data.code !== OUTCOME_UNKNOWN) continue;
		return { message: String(item?.json.error), description: String(description ?? ''), data };
	}
	return null;
}

/**
 * The item that this node put out in an earlier round of a loop and that an input item goes back to, whatever
 * it has become since; null if there is none, or if n8n's item linking does not lead there.
 */
function ownOutput(context: IExecuteFunctions, itemIndex: number): INodeExecutionData | null {
	const [link] = [context.getInputData().at(itemIndex)?.pairedItem ?? []].flat();
	if (link === undefined || context.isToolExecution()) return null;
	const { $runIndex, $getPairedItem } = context.getWorkflowDataProxy(itemIndex);
	if ($runIndex === 0) return null;
	const pairedItem = typeof link === 'number' ? { item: link } : link;
	const source = context.getExecuteData().source?.main[pairedItem.input ?? 0];
	try {
		return ($getPairedItem as Resolve)(context.getNode().name, source, pairedItem);
	} catch {
		return null;
	}
}

type Resolve = (node: string, source: unknown, pairedItem: object) => INodeExecutionData;
