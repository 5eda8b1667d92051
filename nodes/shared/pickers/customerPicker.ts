import type { IDataObject } from 'n8n-workflow';

import type { Field } from '../fields/field';
import { listSearch } from './listSearch';
import { picker } from '../fields/picker';

/** Search methods for customers; a node with the field lists them under `methods.listSearch`. */
type CustomerSearch = 'searchCustomers' | 'searchAcceptedCustomers';

/**
 * The option for resellers that names the customer they act for. The interface does not show the name of
 * the field on consents: this assumes `sender`, as on letters (rules SEND-06, CONS-06).
 *
 * @param search offers every customer, or only those that letters can be sent for
 */
export function senderField(description: string, search: CustomerSearch): Field<string> {
	const names = { displayName: 'Sender', name: 'sender' };
	return picker({ ...names, description: `For resellers: ${description}` }, 'customer', search);
}

const customers = { path: '/customers', nameOf: customerName };

/** Customers of every state, for the picker (interface, GET /customers). */
export const searchCustomers = listSearch(customers);

/** Customers that letters can be sent for: those that accepted the delegation (rule SEND-06). */
export const searchAcceptedCustomers = listSearch({ ...customers, query: { state: 'ACCEPTED' } });

function customerName({ name, email, state }: IDataObject): string {
	const remark = state === 'ACCEPTED' ? '' : `, ${String(state).toLowerCase()}`;
	return `${String(name)} (${String(email)}${remark})`;
}
