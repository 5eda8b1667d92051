// n8n 2.41 does not run a node that was woken: it marks it as disabled and passes the outputs of `webhook()`
// through. On the way it pairs every item with the item at the same index of the input with the same number, so that
// `$('Send Letter').item` would refer to another letter, or fail. So the node runs once more, and pairs the items
// itself, or sends a reminder. What it needs for that comes as an extra list after the outputs. If n8n passes them
// through anyway, the items are on the right outputs, just badly paired.
import type {
	IDataObject,
	IExecuteData,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
} from 'n8n-workflow';

import { readWait, type StoredWait } from '../polling/storedWait';
import type { Outputs } from './outputs';

/** Why the node runs. */
type Run =
	/** Items came in that are to wait. */
	| { why: 'input' }
	/** Outcomes came, and the items leave with them. */
	| { why: 'outcomes'; outputs: INodeExecutionData[][] }
	/** A reminder is due for these ids, and the wait goes on. */
	| { why: 'reminder'; open: string[]; wait: StoredWait }
	/** n8n began here by mistake, with one empty item that no node produced. */
	| { why: 'start' };

export function readRun(context: IExecuteFunctions, { names }: Outputs): Run {
	const { data, source } = context.getExecuteData();
	// Since the node has `trigger()`, `n8n execute` begins at the first such node in the file, whatever its inputs.
	if (source === null) return { why: 'start' };
	const { main } = data;
	const { items, open } = (main[names.length]?.[0]?.json ?? {}) as Extra;
	const wait = readWait(context);
	if (open && wait) return { why: 'reminder', open, wait };
	if (!items) return { why: 'input' };
	// Asleep, the first output may have had none. n8n has taken the list for this run's by now.
	source.main[0] = wait?.source ?? null;
	const outputs = items.map((pairs, output) =>
		// Without the one that stands in.
		(main[output] ?? []).slice(0, pairs.length).map((one, place) => ({
			...one,
			pairedItem: { item: pairs[place] },
		})),
	);
	return { why: 'outcomes', outputs };
}

/** What `webhook()` puts after the outputs. */
interface Extra extends IDataObject {
	/** For each output, which input item each of its items came from. */
	items?: number[][];
	/** The ids that are to be reminded. */
	open?: string[];
}

/** What wakes the execution with its outcomes. */
export function runWithOutcomes(
	context: IWebhookFunctions,
	outputs: INodeExecutionData[][],
): INodeExecutionData[][] {
	const items = outputs.map((output) =>
		output.map(({ pairedItem }) => (pairedItem as { item: number }).item),
	);
	return runWith(context, outputs, { items }) ?? outputs;
}

/** What wakes it for a reminder; null if this n8n does not let the node run. */
export function runForReminder(
	context: IWebhookFunctions,
	{ names }: Outputs,
	input: INodeExecutionData[],
	open: string[],
): INodeExecutionData[][] | null {
	return runWith(
		context,
		names.map((_, output) => (output === 0 ? input : [])),
		{ open },
	);
}

function runWith(
	context: IWebhookFunctions,
	outputs: INodeExecutionData[][],
	extra: Extra,
): INodeExecutionData[][] | null {
	if (!willRunAgain(context)) return null;
	const [first, ...others] = outputs;
	// In its legacy execution order n8n runs a node only if the first list has items.
	const isRun = first.length > 0 || context.getWorkflowSettings().executionOrder === 'v1';
	return [isRun ? first : [{ json: {} }], ...others, [{ json: extra }]];
}

/**
 * Clears the disabled mark that n8n sets on the node. n8n has no function for it, so this edits the
 * execution's own entry, and does nothing if that is not as in n8n 2.41.
 */
function willRunAgain(context: IWebhookFunctions): boolean {
	const { executeData } = context as unknown as { executeData?: Partial<IExecuteData> };
	const node = executeData?.node;
	if (node?.name !== context.getNode().name || node.disabled !== true) return false;
	node.disabled = false;
	return true;
}
