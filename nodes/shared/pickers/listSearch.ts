import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { PER_PAGE } from '../../../webhook-receiver/src/core/list-page';
import { itemError } from '../items/itemError';
import { asExecution } from '../transport/context';
import { readPage } from '../transport/paging';
import { requestService } from '../transport/service';

/** Fills one screen of the picker; it asks for the next page when the user scrolls on. */
const ENOUGH = 20;

/** A list of the service, as a picker shows it. */
interface SearchedList {
	path: string;
	query?: IDataObject;
	/** The text that names an entry, or null for one that cannot be chosen. */
	nameOf(entry: IDataObject): string | null;
}

/**
 * A method that fills a picker with the entries whose name or ID contains what the user typed. The service
 * has no search, so it reads and filters pages until there is enough to show.
 */
export function listSearch(list: SearchedList) {
	return async function (
		this: ILoadOptionsFunctions,
		filter = '',
		paginationToken = '1',
	): Promise<INodeListSearchResult> {
		try {
			return await findEntries(this, list, filter, Number(paginationToken));
		} catch (error) {
			throw itemError(this, error);
		}
	};
}

async function findEntries(
	context: ILoadOptionsFunctions,
	{ path, query, nameOf }: SearchedList,
	filter: string,
	firstPage: number,
): Promise<INodeListSearchResult> {
	// By ID: a new entry pushes another onto the next page, where it appears again.
	const found = new Map<unknown, INodeListSearchItems>();
	const execution = asExecution(context);
	let last = Infinity;
	for (let page = firstPage; ; page++) {
		const { body } = await requestService(execution, {
			method: 'GET',
			path,
			query: { ...query, page, perPage: PER_PAGE },
		});
		const { data, total, lastPage } = readPage(body, page);
		for (const entry of data) {
			const name = nameOf(entry);
			const item = { name: name ?? '', value: String(entry.id) };
			if (name !== null && matches(item, filter)) found.set(entry.id, item);
		}
		// The lowest value so far, since a list that grows with each page would never end.
		last = Math.min(last, Math.max(lastPage, Math.ceil(total / PER_PAGE)));
		const results = [...found.values()];
		if (page >= last || data.length === 0) return { results };
		if (results.length >= ENOUGH) return { results, paginationToken: String(page + 1) };
	}
}

function matches({ name, value }: INodeListSearchItems, filter: string): boolean {
	const text = filter.trim().toLowerCase();
	return [name, String(value)].some((one) => one.toLowerCase().includes(text));
}
