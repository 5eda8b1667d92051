import type { IExecuteFunctions } from 'n8n-workflow';

import { readOptions } from '../fields/field';
import { wholeNumberField } from '../fields/numberField';

/** Without the option. */
export const DEFAULT_CONCURRENCY = 8;

/** How many requests an operation makes at the same time; one of its options. */
export const concurrencyField = wholeNumberField(
	{
		displayName: 'Concurrency',
		name: 'concurrency',
		default: DEFAULT_CONCURRENCY,
		description:
			'How many requests to make at the same time. Only the value of the first item is used.',
	},
	1,
	50,
);

/** @throws InvalidItem if the option is set to anything but a whole number from 1 to 50 */
export function readConcurrency(context: IExecuteFunctions, itemIndex: number): number {
	const { concurrency } = readOptions(context, itemIndex, { concurrency: concurrencyField });
	return concurrency ?? DEFAULT_CONCURRENCY;
}

/**
 * Works through a list in order, at most `limit` at a time; of one that is made along the way, an entry is
 * asked for when there is room for it. Once one fails no more start; those under way finish, then this throws
 * the first failure.
 */
export async function forEachBounded<T>(
	list: Iterable<T> | AsyncIterable<T>,
	limit: number,
	work: (entry: T) => Promise<void>,
): Promise<void> {
	let failure: { error: unknown } | null = null;
	let underWay = 0;
	let onEnd = () => {};
	const start = async (entry: T) => {
		underWay++;
		try {
			await work(entry);
		} catch (error) {
			failure ??= { error };
		} finally {
			underWay--;
			onEnd();
		}
	};
	const untilUnder = async (most: number) => {
		while (underWay >= most) await new Promise<void>((resolve) => (onEnd = resolve));
	};
	try {
		for await (const entry of list) {
			if (failure !== null) break;
			void start(entry);
			await untilUnder(limit);
			if (failure !== null) break;
		}
	} catch (error) {
		failure ??= { error };
	}
	await untilUnder(1);
	if (failure !== null) throw (failure as { error: unknown }).error;
}
