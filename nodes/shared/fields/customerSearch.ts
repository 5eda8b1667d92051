import type {
	IDataObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { itemError } from '../items/perItem';
import { PER_PAGE, readPage } from '../transport/paging';
import { requestService } from '../transport/service';

/** Fills one screen of the picker; it asks for the next page when the user scrolls on. */
const ENOUGH = 20;

/** Customers of every state, for the picker (interface, GET /customers). */
export async function searchCustomers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await search(this, {}, filter, paginationToken);
}

/** Customers that letters can be sent for: those that accepted the delegation (rule SEND-06). */
export async function searchAcceptedCustomers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await search(this, { state: 'ACCEPTED' }, filter, paginationToken);
}

async function search(
	context: ILoadOptionsFunctions,
	query: IDataObject,
	filter = '',
	paginationToken = '1',
): Promise<INodeListSearchResult> {
	try {
		return await findCustomers(context, query, filter, Number(paginationToken));
	} catch (error) {
		throw itemError(context, 0, error);
	}
}

/** The service has no search: this reads and filters pages until there is enough to show. */
async function findCustomers(
	context: ILoadOptionsFunctions,
	query: IDataObject,
	filter: string,
	firstPage: number,
): Promise<INodeListSearchResult> {
	// By ID: a new customer pushes another onto the next page, where it appears again.
	const found = new Map<unknown, INodeListSearchItems>();
	let last = Infinity;
	for (let page = firstPage; ; page++) {
		const { body } = await requestService(asExecution(context), {
			...{ method: 'GET', path: '/customers' },
			query: { ...query, page, perPage: PER_PAGE },
		});
		const { data, total, lastPage } = readPage(body, page);
		for (const customer of data) {
			if (matches(customer, filter)) found.set(customer.id, listItem(customer));
		}
		// The lowest it ever was, since a list that grows with each page would never end.
		last = Math.min(last, Math.max(lastPage, Math.ceil(total / PER_PAGE)));
		const results = [...found.values()];
		if (page >= last || data.length === 0) return { results };
		if (results.length >= ENOUGH) return { results, paginationToken: String(page + 1) };
	}
}

function matches({ name, email, id }: IDataObject, filter: string): boolean {
	const text = filter.trim().toLowerCase();
	return [name, email, id].some((one) => String(one).toLowerCase().includes(text));
}

function listItem({ id, name, email, state }: IDataObject): INodeListSearchItems {
	const remark = state === 'ACCEPTED' ? '' : `, ${String(state).toLowerCase()}`;
	return { name: `${String(name)} (${String(email)}${remark})`, value: String(id) };
}

// A picker has the same request helper, but no execution that could be cancelled.
function asExecution(context: ILoadOptionsFunctions): IExecuteFunctions {
	const execution = Object.create(context) as IExecuteFunctions;
	execution.getExecutionCancelSignal = () => undefined;
	return execution;
}
