import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { usableCredential } from '../transport/credential';
import { Tasks } from './tasks';
import { endOfRun, errorJson, failureOf, itemError, type ItemError } from './itemError';

/** What an operation does with one item, split where the first request leaves. */
interface ItemOperation<Prepared> {
	/** Reads and checks the item's parameters. Sends nothing. */
	prepare(context: IExecuteFunctions, itemIndex: number): Prepared | Promise<Prepared>;
	/** Gives the item's output: one object, or a list of output items. */
	perform(context: IExecuteFunctions, prepared: Prepared): Promise<IDataObject | OutputItem[]>;
}

export type OutputItem = Pick<INodeExecutionData, 'json' | 'binary'>;

/** The result of an item, or of one step of it. */
type ItemResult<T> = { value: T } | { error: ItemError };

/**
 * Makes an operation that runs for every input item. It checks the credential and all items before the first
 * request, so that one wrong item stops the run before anything has left. With *Continue On Fail* a failed
 * item outputs its error and the others continue; without it, no more items start after the first failure.
 *
 * @param readConcurrency how many items run at the same time: the first item's value counts; an invalid value
 * fails its own item
 * @returns the output in the order of the input, each item paired with its own
 */
export function perItem<Prepared>(
	{ prepare, perform }: ItemOperation<Prepared>,
	readConcurrency: (context: IExecuteFunctions, itemIndex: number) => number = () => 1,
) {
	return async (context: IExecuteFunctions): Promise<INodeExecutionData[]> => {
		let concurrency = 1;
		const outputs: OutputItem[][] = [];
		try {
			const prepared = await prepareAll(context, async (index) => {
				await usableCredential(context);
				const own = readConcurrency(context, index);
				if (index === 0) concurrency = own;
				return await prepare(context, index);
			});
			const performOne = async (index: number, read: ItemResult<Prepared>) => {
				const result =
					'error' in read
						? read
						: await resultOrStop(context, index, async () => await perform(context, read.value));
				outputs[index] = outputItems(result);
			};
			const tasks = new Tasks();
			try {
				for (const [index, read] of prepared) {
					await tasks.start(concurrency, async () => await performOne(index, read));
				}
			} finally {
				await tasks.end();
			}
		} catch (error) {
			const rows = context.getInputData().length;
			throw endOfRun(error as ItemError, { rows, done: Object.keys(outputs).length });
		}
		return outputs.flatMap((items, item) => items.map((one) => ({ ...one, pairedItem: { item } })));
	};
}

/**
 * Reads and checks every item. Without *Continue On Fail*, the first wrong one stops the node.
 *
 * @param itemIndexes the items to read, where it is not all of them
 */
export async function prepareAll<Prepared>(
	context: IExecuteFunctions,
	prepare: (itemIndex: number) => Promise<Prepared>,
	itemIndexes: Iterable<number> = context.getInputData().keys(),
): Promise<Map<number, ItemResult<Prepared>>> {
	const prepared = new Map<number, ItemResult<Prepared>>();
	for (const index of itemIndexes) {
		prepared.set(index, await resultOrStop(context, index, async () => await prepare(index)));
	}
	return prepared;
}

function outputItems(result: ItemResult<IDataObject | OutputItem[]>): OutputItem[] {
	if ('error' in result) return [{ json: errorJson(failureOf(result.error)) }];
	return Array.isArray(result.value) ? result.value : [{ json: result.value }];
}

/** An error stops the node, unless *Continue On Fail* leaves it to the item. */
async function resultOrStop<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	work: () => Promise<T>,
): Promise<ItemResult<T>> {
	const result = await resultOf(context, work, itemIndex);
	if ('error' in result && !context.continueOnFail()) throw result.error;
	return result;
}

export async function resultOf<T>(
	context: IExecuteFunctions,
	work: () => Promise<T>,
	itemIndex?: number,
): Promise<ItemResult<T>> {
	try {
		return { value: await work() };
	} catch (error) {
		return { error: itemError(context, error, itemIndex) };
	}
}
