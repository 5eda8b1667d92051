import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { forEachBounded } from './concurrency';
import { outputItem, prepareAll, resultOrStop } from './perItem';

/** An input item that is ready for its request. */
export interface Entry<Prepared> {
	itemIndex: number;
	prepared: Prepared;
}

/** An operation whose items may share a request, or give several output items each. */
export interface GroupOperation<Prepared> {
	/** Reads and checks the item's parameters. Sends nothing. */
	prepare(context: IExecuteFunctions, itemIndex: number): Promise<Prepared>;
	/** Items with the same key go in one request; left out, each goes by itself. */
	groupKey?(prepared: Prepared): string;
	/**
	 * Gives output items paired with their input, error items among them where entries failed each in
	 * its own way; or throws an error that concerns every entry.
	 */
	perform(
		context: IExecuteFunctions,
		entries: Array<Entry<Prepared>>,
	): Promise<INodeExecutionData[]>;
}

/**
 * Runs an operation group by group, all items checked before the first request. With *Continue On
 * Fail*, an item that fails its check becomes an error item and stays out of its group's request; when
 * the request itself fails, each item of the group becomes one.
 *
 * @param concurrency groups under way at the same time; the output keeps the order of the input
 */
export async function runPerGroup<Prepared>(
	context: IExecuteFunctions,
	operation: GroupOperation<Prepared>,
	concurrency = 1,
): Promise<INodeExecutionData[]> {
	const prepared = await prepareAll(context, async (index) => operation.prepare(context, index));
	const entries: Array<Entry<Prepared>> = [];
	const output: INodeExecutionData[] = [];
	for (const [itemIndex, outcome] of prepared.entries()) {
		if ('error' in outcome) output.push(outputItem(outcome, itemIndex));
		else entries.push({ itemIndex, prepared: outcome.value });
	}
	await forEachBounded(groups(entries, operation), concurrency, async (group) => {
		output.push(...(await runGroup(context, operation, group)));
	});
	return output.sort((a, b) => firstInput(a) - firstInput(b));
}

async function runGroup<Prepared>(
	context: IExecuteFunctions,
	operation: GroupOperation<Prepared>,
	group: Array<Entry<Prepared>>,
): Promise<INodeExecutionData[]> {
	const [{ itemIndex }] = group;
	const outcome = await resultOrStop(context, itemIndex, async () =>
		operation.perform(context, group),
	);
	if ('value' in outcome) return outcome.value;
	return group.map((entry) => outputItem(outcome, entry.itemIndex));
}

function groups<Prepared>(
	entries: Array<Entry<Prepared>>,
	{ groupKey }: GroupOperation<Prepared>,
): Array<Array<Entry<Prepared>>> {
	if (!groupKey) return entries.map((entry) => [entry]);
	const byKey = new Map<string, Array<Entry<Prepared>>>();
	for (const entry of entries) {
		const key = groupKey(entry.prepared);
		const group = byKey.get(key);
		if (group) group.push(entry);
		else byKey.set(key, [entry]);
	}
	return [...byKey.values()];
}

function firstInput({ pairedItem }: INodeExecutionData): number {
	const [first] = [pairedItem ?? 0].flat();
	return typeof first === 'number' ? first : first.item;
}
