import type { IExecuteFunctions } from 'n8n-workflow';

import { field, readOptions, wholeNumber } from './field';

/** Without the option. */
export const DEFAULT_CONCURRENCY = 8;

/** How many requests an operation makes at the same time; one of its options. */
export const concurrencyField = field(
	{
		displayName: 'Concurrency',
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 50 },
		default: DEFAULT_CONCURRENCY,
		description:
			'How many requests to make at the same time. Only the value of the first item is used.',
	},
	wholeNumber(1),
);

/** @throws InvalidItem if the option is set to anything but a whole number of at least 1 */
export function readConcurrency(context: IExecuteFunctions, itemIndex: number): number {
	const { concurrency } = readOptions(context, itemIndex, { concurrency: concurrencyField });
	return concurrency ?? DEFAULT_CONCURRENCY;
}
