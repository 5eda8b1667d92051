import type { IDataObject } from 'n8n-workflow';

import { listSearch } from './listSearch';

const customers = { path: '/customers', nameOf: customerName };

/** Customers of every state, for the picker (interface, GET /customers). */
export const searchCustomers = listSearch(customers);

/** Customers that letters can be sent for: those that accepted the delegation (rule SEND-06). */
export const searchAcceptedCustomers = listSearch({ ...customers, query: { state: 'ACCEPTED' } });

function customerName({ name, email, state }: IDataObject): string {
	const remark = state === 'ACCEPTED' ? '' : `, ${String(state).toLowerCase()}`;
	return `${String(name)} (${String(email)}${remark})`;
}
