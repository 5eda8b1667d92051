import { picker, readRequired } from '../shared/fields/picker';
import type { Reading } from '../shared/fields/reading';

/** The customer whose logo it is. */
export const customerIdField = picker(
	{
		displayName: 'Customer',
		name: 'customerId',
		required: true,
		description: 'The customer whose logo to set or delete',
	},
	'customer',
	'searchCustomers',
);

export function readCustomerId(value: unknown): Reading<string> {
	return readRequired(value, 'customer');
}
