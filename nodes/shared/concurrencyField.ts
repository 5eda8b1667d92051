import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { wholeNumberParameter } from './parameters';

const DEFAULT = 5;

/** How many requests an operation makes at the same time; one entry of its options. */
export const concurrencyField = {
	displayName: 'Concurrency',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 50 },
	default: DEFAULT,
	description:
		'How many requests may be under way at the same time. The value of the first item counts.',
} satisfies INodeProperties;

const NAME = { name: 'options.concurrency', displayName: concurrencyField.displayName };

/**
 * What the first item says. One that cannot be read counts as one at a time: it is for
 * `checkConcurrency` to say so of each item, where an error concerns that item alone.
 */
export function readConcurrency(context: IExecuteFunctions): number {
	try {
		return wholeNumberParameter(context, 0, NAME, DEFAULT);
	} catch {
		return 1;
	}
}

/** @throws NodeOperationError when the item's value is there but is no whole number from 1 on. */
export function checkConcurrency(context: IExecuteFunctions, itemIndex: number): void {
	wholeNumberParameter(context, itemIndex, NAME, DEFAULT);
}
