import type { INodeExecutionData } from 'n8n-workflow';

import { outputItem } from '../perItem';
import type { EntryResult, Results } from './entry';

/**
 * The output items, in the order of the input, each paired with its own. Entries of an item that failed
 * together, for one reason, are one error.
 */
export function toItems(results: Results): INodeExecutionData[] {
	return [...results].flatMap(([itemIndex, some]) => {
		const items = some.map((result) => toItem(result, itemIndex));
		const isAlike = new Set(items.map((item) => JSON.stringify(item.json))).size === 1;
		return isAlike && some[0].verdict !== 'sent' ? [items[0]] : items;
	});
}

function toItem(result: EntryResult, itemIndex: number): INodeExecutionData {
	return outputItem(
		'error' in result ? { error: result.error } : { value: result.output },
		itemIndex,
	);
}
