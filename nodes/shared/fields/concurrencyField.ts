import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { Options } from './options';

/** How many requests an operation makes at the same time; one of its options. */
export const concurrencyField = {
	displayName: 'Concurrency',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 50 },
	default: 5,
	description:
		'How many requests to make at the same time. Only the value of the first item is used.',
} satisfies INodeProperties;

/** @throws InvalidItem if the option is set to anything but a whole number of at least 1 */
export function concurrencyIn(options: Options): number {
	const { name, displayName } = concurrencyField;
	return options.wholeNumber(name, displayName, 1) ?? concurrencyField.default;
}

/** @throws InvalidItem, as above */
export function readConcurrency(context: IExecuteFunctions, itemIndex: number): number {
	return concurrencyIn(Options.of(context, itemIndex));
}
