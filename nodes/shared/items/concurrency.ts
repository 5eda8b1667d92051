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

/** Tasks that run at the same time, a limited number of them. Once one fails, no more start. */
export class Tasks {
	private readonly underWay = new Map<symbol, Promise<void>>();
	private readonly failures: unknown[] = [];

	/**
	 * Starts a task, and waits until there is room for another.
	 *
	 * @param limit how many may be under way
	 * @throws what the first task failed with
	 */
	async start(limit: number, task: () => Promise<void>): Promise<void> {
		if (this.failures.length > 0) throw this.failures[0];
		const own = Symbol();
		this.underWay.set(own, this.run(own, task));
		while (this.underWay.size >= limit) await Promise.race(this.underWay.values());
		if (this.failures.length > 0) throw this.failures[0];
	}

	/**
	 * Waits for those under way.
	 *
	 * @throws what the first task failed with
	 */
	async end(): Promise<void> {
		await Promise.all(this.underWay.values());
		if (this.failures.length > 0) throw this.failures[0];
	}

	private async run(own: symbol, task: () => Promise<void>): Promise<void> {
		try {
			await task();
		} catch (error) {
			this.failures.push(error);
		} finally {
			this.underWay.delete(own);
		}
	}
}
