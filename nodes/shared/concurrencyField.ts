import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

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

/** What the first item says; the default where it says nothing sensible. */
export function readConcurrency(context: IExecuteFunctions): number {
	const { concurrency } = context.getNodeParameter('options', 0, {});
	const number = Number(concurrency ?? DEFAULT);
	return Number.isFinite(number) && number >= 1 ? Math.floor(number) : DEFAULT;
}
