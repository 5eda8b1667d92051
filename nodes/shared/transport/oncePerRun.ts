import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Reads once what is the same for all items of a run. A failure is kept, too; the next try of the node has a
 * context of its own.
 *
 * @param read called once for each run and key
 */
export function oncePerRun<T>(
	read: (context: IExecuteFunctions, key?: string) => Promise<T>,
): (context: IExecuteFunctions, key?: string) => Promise<T> {
	const runs = new WeakMap<IExecuteFunctions, Map<string | undefined, Promise<T>>>();
	return async (context, key) => {
		const known = runs.get(context) ?? new Map<string | undefined, Promise<T>>();
		runs.set(context, known);
		const reading = known.get(key) ?? read(context, key);
		known.set(key, reading);
		return await reading;
	};
}
