import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { forEachBounded } from './concurrency';

import { problemsError } from './findings';

/** One operation of a node, split where the first request goes out. */
export interface ItemOperation<Prepared> {
	/** Reads and checks the item's parameters. Sends nothing. */
	prepare(context: IExecuteFunctions, itemIndex: number): Promise<Prepared>;
	/** Looks at all items at once, before the first request, and may refuse the whole run. */
	refuse?(context: IExecuteFunctions, all: Prepared[]): Refuse | null;
	/** Sends, and gives the data of the output item. */
	perform(context: IExecuteFunctions, prepared: Prepared, itemIndex: number): Promise<IDataObject>;
}

export type ItemError = NodeApiError | NodeOperationError;

/** Gives the error of an item that is refused with all others, or of the whole run for null. */
export type Refuse = (itemIndex: number | null) => ItemError;

/** What became of one item. */
export type Outcome<T> = { value: T } | { error: ItemError };

/**
 * Runs an operation for every input item, each paired with its output.
 *
 * All items are checked before the first request, so that one wrong item stops a mailing before
 * anything has left. With *Continue On Fail* a wrong item becomes an error item and the others go on;
 * without, no more are begun after the first failure.
 *
 * @param concurrency items under way at the same time; the output keeps the order of the input
 */
export async function runPerItem<Prepared>(
	context: IExecuteFunctions,
	operation: ItemOperation<Prepared>,
	concurrency = 1,
): Promise<INodeExecutionData[]> {
	const prepared = refuseAll(
		context,
		await prepareAll(context, (index) => operation.prepare(context, index)),
		(all) => operation.refuse?.(context, all) ?? null,
	);
	const output: INodeExecutionData[] = [];
	await forEachBounded([...prepared.entries()], concurrency, async ([index, outcome]) => {
		const result =
			'error' in outcome
				? outcome
				: await attempt(context, index, operation.perform(context, outcome.value, index));
		output[index] = outputItem(result, index);
	});
	return output;
}

/** Reads and checks every item. Without *Continue On Fail*, the first wrong one stops the node. */
export async function prepareAll<Prepared>(
	context: IExecuteFunctions,
	prepare: (itemIndex: number) => Promise<Prepared>,
): Promise<Array<Outcome<Prepared>>> {
	const prepared: Array<Outcome<Prepared>> = [];
	for (const [index] of context.getInputData().entries()) {
		prepared.push(await attempt(context, index, prepare(index)));
	}
	return prepared;
}

/** Lets an operation refuse the whole run; with *Continue On Fail* every item of it fails. */
export function refuseAll<Prepared>(
	context: IExecuteFunctions,
	prepared: Array<Outcome<Prepared>>,
	judge: (all: Prepared[]) => Refuse | null,
): Array<Outcome<Prepared>> {
	const refuse = judge(prepared.flatMap((one) => ('value' in one ? [one.value] : [])));
	if (refuse === null) return prepared;
	if (!context.continueOnFail()) throw refuse(null);
	return prepared.map((one, index) => ('value' in one ? { error: refuse(index) } : one));
}

/** The output item for what became of an input item, paired with it. */
export function outputItem(outcome: Outcome<IDataObject>, itemIndex: number): INodeExecutionData {
	return {
		json: 'error' in outcome ? errorJson(outcome.error) : outcome.value,
		pairedItem: { item: itemIndex },
	};
}

/** The error for a parameter, which is named as the editor shows it. */
export function parameterError(
	context: Pick<IExecuteFunctions, 'getNode'>,
	itemIndex: number,
	parameter: string,
	message: string,
): NodeOperationError {
	return problemsError(context, itemIndex, [{ parameter, message }]);
}

/** An error stops the node, unless *Continue On Fail* makes it the item's own affair. */
export async function attempt<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	work: Promise<T>,
): Promise<Outcome<T>> {
	const outcome = await settle(context, itemIndex, work);
	if ('error' in outcome && !context.continueOnFail()) throw outcome.error;
	return outcome;
}

export async function settle<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	work: Promise<T>,
): Promise<Outcome<T>> {
	try {
		return { value: await work };
	} catch (error) {
		const itemError =
			error instanceof NodeApiError || error instanceof NodeOperationError
				? error
				: new NodeOperationError(context.getNode(), (error as Error).message);
		itemError.context.itemIndex ??= itemIndex;
		return { error: itemError };
	}
}

// These two names alone, so that n8n knows an error item and leads it to the error output.
export function errorJson({ message, description, context }: ItemError): IDataObject {
	const details = { description, ...(context.data as IDataObject | undefined) };
	return { error: message, details };
}
