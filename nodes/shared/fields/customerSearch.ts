import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { searchList } from './listSearch';

const customers = { path: '/customers', nameOf: customerName };

/** Customers of every state, for the picker (interface, GET /customers). */
export async function searchCustomers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, customers, filter, paginationToken);
}

/** Customers that letters can be sent for: those that accepted the delegation (rule SEND-06). */
export async function searchAcceptedCustomers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const accepted = { ...customers, query: { state: 'ACCEPTED' } };
	return await searchList(this, accepted, filter, paginationToken);
}

function customerName({ name, email, state }: IDataObject): string {
	const remark = state === 'ACCEPTED' ? '' : `, ${String(state).toLowerCase()}`;
	return `${String(name)} (${String(email)}${remark})`;
}
