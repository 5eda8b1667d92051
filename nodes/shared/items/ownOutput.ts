import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/**
 * The item that this node put out in an earlier round of a loop and that an input item goes back to, whatever
 * it has become since; null if there is none, or if n8n's item linking does not lead there.
 */
export function ownOutput(
	context: IExecuteFunctions,
	itemIndex: number,
): INodeExecutionData | null {
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
