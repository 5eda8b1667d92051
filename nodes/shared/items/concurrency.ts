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
