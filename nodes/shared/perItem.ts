import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { forEachBounded } from './concurrency';
import { problemsError } from './findings';

/** One operation of a node, split where the first request goes out. */
interface Operation<Prepared, Output> {
	/** Reads and checks the item's parameters. Sends nothing. */
	prepare(context: IExecuteFunctions, itemIndex: number): Promise<Prepared>;
	perform(context: IExecuteFunctions, prepared: Prepared, itemIndex: number): Promise<Output>;
}

/** Gives the data of the one output item. */
export type ItemOperation<Prepared> = Operation<Prepared, IDataObject>;

/** Gives several output items, paired with their input. */
export type ListOperation<Prepared> = Operation<Prepared, INodeExecutionData[]>;

export type ItemError = NodeApiError | NodeOperationError;

/** Gives the error of an item that is refused with all others, or of the whole run for null. */
export type Refuse = (itemIndex: number | null) => ItemError;

/** What came of an item, or of a step of its way. */
export type ItemResult<T> = { value: T } | { error: ItemError };

/** Runs an operation for every input item, each paired with its output; see {@link runAll}. */
export async function runPerItem<Prepared>(
	context: IExecuteFunctions,
	operation: ItemOperation<Prepared>,
	concurrency = 1,
): Promise<INodeExecutionData[]> {
	return (await runAll(context, operation, concurrency)).map(outputItem);
}

/** Runs an operation that gives lists; an item that fails is one error item. See {@link runAll}. */
export async function runPerList<Prepared>(
	context: IExecuteFunctions,
	operation: ListOperation<Prepared>,
	concurrency = 1,
): Promise<INodeExecutionData[]> {
	const results = await runAll(context, operation, concurrency);
	return results.flatMap((result, index) =>
		'error' in result ? [outputItem(result, index)] : result.value,
	);
}

/**
 * All items are checked before the first request, so that one wrong item stops the run before
 * anything has left. With *Continue On Fail* a wrong item has an error and the others go on; without, no
 * more are begun after the first failure.
 *
 * @param concurrency items under way at the same time
 * @returns in the order of the input
 */
async function runAll<Prepared, Output>(
	context: IExecuteFunctions,
	{ prepare, perform }: Operation<Prepared, Output>,
	concurrency: number,
): Promise<Array<ItemResult<Output>>> {
	const prepared = await prepareAll(context, async (index) => await prepare(context, index));
	const results: Array<ItemResult<Output>> = [];
	await forEachBounded([...prepared.entries()], concurrency, async ([index, result]) => {
		results[index] =
			'error' in result
				? result
				: await resultOrStop(context, index, async () => perform(context, result.value, index));
	});
	return results;
}

/** Reads and checks every item. Without *Continue On Fail*, the first wrong one stops the node. */
export async function prepareAll<Prepared>(
	context: IExecuteFunctions,
	prepare: (itemIndex: number) => Promise<Prepared>,
): Promise<Array<ItemResult<Prepared>>> {
	const prepared: Array<ItemResult<Prepared>> = [];
	for (const [index] of context.getInputData().entries()) {
		prepared.push(await resultOrStop(context, index, async () => await prepare(index)));
	}
	return prepared;
}

/** The output item for what came of an input item, paired with it. */
export function outputItem(result: ItemResult<IDataObject>, itemIndex: number): INodeExecutionData {
	return {
		json: 'error' in result ? errorJson(result.error) : result.value,
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
async function resultOrStop<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	work: () => Promise<T>,
): Promise<ItemResult<T>> {
	const result = await resultOf(context, itemIndex, work);
	if ('error' in result && !context.continueOnFail()) throw result.error;
	return result;
}

export async function resultOf<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	work: () => Promise<T>,
): Promise<ItemResult<T>> {
	try {
		return { value: await work() };
	} catch (error) {
		return { error: itemError(context, itemIndex, error) };
	}
}

/** Whatever was thrown, as an error of the item; n8n's own keep their words. */
export function itemError(
	context: Pick<IExecuteFunctions, 'getNode'>,
	itemIndex: number,
	error: unknown,
): ItemError {
	const own =
		error instanceof NodeApiError || error instanceof NodeOperationError
			? error
			: new NodeOperationError(context.getNode(), (error as Error).message);
	own.context.itemIndex ??= itemIndex;
	return own;
}

// These two names alone, so that n8n knows an error item and leads it to the error output.
export function errorJson({ message, description, context }: ItemError): IDataObject {
	const details = { description, ...(context.data as IDataObject | undefined) };
	return { error: message, details };
}
